"""What other monitors of RL training say of runs, in their own environment: each fed as its TRL adapter would feed it.

python -m benchmarks.detecting.peers_side RUN [RUN ...] > findings.jsonl

One JSON line for each run: {"run": name, "rldoctor": {finding: severity}, "rlprobe": …, "rlwatch": …}. rldoctor gets
the logged rows and the config; rlprobe and rlwatch get each row through the callback that they give to a TRL trainer,
rlprobe with the logged completions as well. Nothing of ours is imported here, and transformers need not be installed:
of it the callbacks take a base class only.
"""

import json
import logging
import math
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

Findings = dict[str, str]
REPORTED = frozenset({"warning", "critical"})
_NO_HANDLERS = {"capture_env": False, "install_handlers": False}


class _TrainerCallback:
    """Stands for transformers' base class of callbacks, which adds nothing to what they do here."""


def main() -> None:
    """Judge the runs that are named."""
    logging.disable(logging.CRITICAL)
    sys.modules.setdefault("transformers", _stand_in())
    for folder in map(Path, sys.argv[1:]):
        said = {"rldoctor": rldoctor(folder), "rlprobe": rlprobe(folder), "rlwatch": rlwatch(folder)}
        sys.stdout.write(json.dumps({"run": folder.name, **said}) + "\n")
        sys.stdout.flush()


def rldoctor(folder: Path) -> Findings:
    """Of the whole run, as `rl-doctor diagnose` finds it."""
    from rl_doctor import diagnose, run_from_records  # noqa: PLC0415 - an environment of its own

    rows = [{**metrics, "step": step} for step, metrics in _rows(folder)]
    diagnosis = diagnose(run_from_records(rows, config=_config(folder)))
    return _reported((finding.detector, finding.severity.name.lower()) for finding in diagnosis.problems)


def rlprobe(folder: Path) -> Findings:
    """Of the whole recording, as `rlprobe doctor` finds it."""
    from rlprobe.doctor import diagnose  # noqa: PLC0415
    from rlprobe.integrations.trl import RlprobeCallback  # noqa: PLC0415

    config, samples = _config(folder), _samples(folder)
    arguments = SimpleNamespace(to_dict=lambda: config, world_size=1, process_index=0, **_group_size(config))
    trainer = SimpleNamespace(args=arguments, _logs={})
    with tempfile.TemporaryDirectory() as recording:
        callback = RlprobeCallback(recording, trainer, **_NO_HANDLERS)
        state = SimpleNamespace(global_step=0)
        callback.on_train_begin(arguments, state, None)
        for state.global_step, metrics in _rows(folder):
            trainer._logs = _as_buffer(samples[state.global_step])
            callback.on_log(arguments, state, None, logs=metrics)
        callback.on_train_end(arguments, state, None)
        return _reported((finding.signature_id, str(finding.severity)) for finding in diagnose(recording))


def rlwatch(folder: Path) -> Findings:
    """The alerts that it would have sent while the run grew."""
    from rlwatch.config import RLWatchConfig  # noqa: PLC0415
    from rlwatch.core import RLWatch, _build_trl_callback  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as store:
        config = RLWatchConfig(run_id=folder.name, framework="trl")
        config.storage.log_dir = store
        monitor = RLWatch(config)
        callback = _build_trl_callback(monitor)()
        state = SimpleNamespace(global_step=0)
        for state.global_step, metrics in _rows(folder):
            callback.on_log(None, state, None, logs=metrics)
        alerts = monitor.store.get_alerts(folder.name)
        monitor.stop()
    return _reported((alert["detector"], alert["severity"]) for alert in alerts)


def _reported(findings: Iterator[tuple[str, str]]) -> Findings:
    """The worst severity of each finding, from warning on."""
    worst: Findings = {}
    for name, severity in findings:
        level = {"warn": "warning", "error": "critical"}.get(severity.lower(), severity.lower())
        if level in REPORTED and worst.get(name) != "critical":
            worst[name] = level
    return worst


def _rows(folder: Path) -> Iterator[tuple[int, Mapping[str, float]]]:
    for line in (folder / "events.jsonl").read_text("utf-8").splitlines():
        event = json.loads(line)
        yield event["step"], event["metrics"]


def _samples(folder: Path) -> Mapping[int, Sequence[Mapping[str, Any]]]:
    by_step: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for line in (folder / "samples.jsonl").read_text("utf-8").splitlines():
        sample = json.loads(line)
        if sample.get("split", "train") == "train":
            by_step[sample["step"]].append(sample)
    return by_step


def _as_buffer(samples: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Samples in the form of the rolling buffer that TRL's GRPOTrainer keeps."""
    functions = dict.fromkeys(name for sample in samples for name in sample.get("rewards", {}))
    return {
        "prompt": [sample["query"] for sample in samples],
        "completion": [sample["response"] for sample in samples],
        "advantages": [_number(sample.get("advantage")) for sample in samples],
        "rewards": {name: [_number(sample["rewards"].get(name)) for sample in samples] for name in functions},
    }


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _config(folder: Path) -> dict[str, Any]:
    config: dict[str, Any] = json.loads((folder / "run.json").read_text("utf-8"))["config"]
    return config


def _group_size(config: Mapping[str, Any]) -> dict[str, Any]:
    return {"num_generations": config["num_generations"]} if "num_generations" in config else {}


def _stand_in() -> ModuleType:
    module = ModuleType("transformers")
    module.TrainerCallback = _TrainerCallback  # type: ignore[attr-defined]
    return module


if __name__ == "__main__":
    main()
