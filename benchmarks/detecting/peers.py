"""Runs other monitors of RL training in their own environment, each fed as its TRL adapter would feed it.

python -m benchmarks.detecting.peers RUN [RUN ...] > findings.jsonl

One JSON line per run: {"run": name, "rldoctor": {finding: severity}, "rlprobe": …, "rlwatch": …}. rldoctor gets the
logged rows and the config; rlprobe and rlwatch get each row through their callback for TRL trainers, rlprobe with the
logged completions as well. This module imports none of our code, and transformers need not be installed: the callbacks
only need its base class.
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

SeverityByFinding = dict[str, str]
REPORTED = frozenset({"warning", "critical"})
_NO_HANDLERS = {"capture_env": False, "install_handlers": False}


class _TrainerCallback:
    """Replaces the callback base class of transformers, none of whose behaviour they use."""


def main() -> None:
    """Judge the runs named on the command line."""
    logging.disable(logging.CRITICAL)
    sys.modules.setdefault("transformers", _stand_in())
    for folder in map(Path, sys.argv[1:]):
        findings = {"rldoctor": rldoctor(folder), "rlprobe": rlprobe(folder), "rlwatch": rlwatch(folder)}
        sys.stdout.write(json.dumps({"run": folder.name, **findings}) + "\n")
        sys.stdout.flush()


def rldoctor(folder: Path) -> SeverityByFinding:
    """Findings for the whole run, as `rl-doctor diagnose` reports them."""
    from rl_doctor import diagnose, run_from_records  # noqa: PLC0415 - an environment of its own

    rows = [{**metrics, "step": step} for step, metrics in _rows(folder)]
    if not rows:  # a run that broke in its first step, which it refuses to read
        return {}
    diagnosis = diagnose(run_from_records(rows, config=_config(folder)))
    return _reported((finding.detector, finding.severity.name.lower()) for finding in diagnosis.problems)


def rlprobe(folder: Path) -> SeverityByFinding:
    """Findings for the whole recording, as `rlprobe doctor` reports them."""
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


def rlwatch(folder: Path) -> SeverityByFinding:
    """The alerts sent while the run grows."""
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


def _reported(findings: Iterator[tuple[str, str]]) -> SeverityByFinding:
    """The worst severity of each finding, at warning or above."""
    worst: SeverityByFinding = {}
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
    """Samples in the form of the rolling buffer kept by TRL's GRPOTrainer."""
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
