"""Configuration files, and the settings of runs, as pre-flight looks at them: who they are for, and of which model."""

import json
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

import diagnostics
from diagnostics.configs.model_folder import facts_of_config, facts_of_folder, size_in_name
from diagnostics.model.run import Run
from diagnostics.producers.settings import DEFAULTS, NAMES, OWN, TRL
from diagnostics.rules.config import ModelFacts, Setup, flat, version_of
from diagnostics.runlog import RUN_FILE

_LAST_POINTS = 50
SUFFIXES = (".toml", ".json", ".yaml", ".yml")
_DEMO_MODELS = Path(diagnostics.__file__).parents[1] / "trainer" / "tasks" / "assets"
_PICKLES = (".bin", ".pt", ".pkl", ".pickle")
_OF_TRANSFORMERS = frozenset({"output_dir", "logging_nan_inf_filter", "per_device_eval_batch_size", "num_train_epochs"})
_MARKS: Mapping[str, frozenset[str]] = {
    "grpo": frozenset({"num_generations", "max_completion_length", "scale_rewards", "num_iterations"}),
    "ppo": frozenset({"num_ppo_epochs", "response_length", "num_sample_generations", "cliprange_value"}),
    "ppo-legacy": frozenset({"ppo_epochs", "init_kl_coef", "adap_kl_ctrl", "use_score_scaling"}),
}
_ESTIMATORS: Mapping[str, str] = {"grpo": "grpo", "group_norm": "grpo", "rloo": "rloo", "gae": "ppo"}


class UnreadableConfigurationError(Exception):
    """A configuration cannot be read; the message is one sentence that says what was found and what to do."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user says of a configuration that does not say it itself; None: find out."""

    algorithm: str | None = None
    producer: str | None = None
    version: str | None = None
    model: str | None = None
    device_gib: float | None = None


def setup_of_file(path: Path, wishes: Wishes | None = None) -> Setup:
    """A configuration file as a setup.

    Raises:
        UnreadableConfigurationError: it cannot be read, or is of a kind that holds no settings.
    """
    wishes = wishes or Wishes()
    config = flat(_unwrapped(_read(path)))
    producer = wishes.producer or _producer(config, path)
    return Setup(
        algorithm=wishes.algorithm or _algorithm(config),
        producer=producer,
        config=config,
        version=version_of(wishes.version or str(config.get("trl_version", ""))),
        model=model_facts(config, producer, wishes.model),
        device_gib=wishes.device_gib,
    )


def setup_of_run(run: Run, wishes: Wishes | None = None) -> Setup:
    """What a run was trained with, as a setup; where a run logs no settings at all, no defaults are taken for them."""
    wishes = wishes or Wishes()
    config = flat(run.config)
    return Setup(
        algorithm=wishes.algorithm or run.algorithm,
        producer=wishes.producer or run.producer,
        config=config,
        version=version_of(wishes.version or run.producer_version),
        model=model_facts(config, run.producer, wishes.model),
        has_defaults=bool(config),
        device_gib=wishes.device_gib,
        cut_off=_cut_off(run),
    )


def _cut_off(run: Run) -> float | None:
    """The share of answers that were cut off at the last logged points; None where it is not logged."""
    shares = run.get("truncated_fraction")
    last = shares.values[-_LAST_POINTS:] if shares is not None else np.zeros(0)
    finite = last[np.isfinite(last)]
    return float(np.median(finite)) if len(finite) else None


def model_facts(config: Mapping[str, Any], producer: str, named: str | None = None) -> ModelFacts:
    """The facts of the model that is named or configured: from its folder, else from what the arguments say of it.

    A demo task's model comes along with the trainer. Of a model of the hub that is not here only the size is known,
    where its name tells it.
    """
    names = [str(config[alias]) for alias in NAMES["model"] if config.get(alias)]
    folders = [_folder(name) for name in (named, *names) if name]
    if producer == OWN and not names:
        folders.append(_DEMO_MODELS / str(config.get("task") or _demo_task(config)))
    found = (facts_of_folder(folder) for folder in folders)
    known = next((facts for facts in found if facts is not None), None) or facts_of_config(config)
    promised = (size_in_name(folder.name) for folder in folders) if known.parameters is None else ()
    return replace(known, parameters=known.parameters or next((size for size in promised if size), None))


def unread_settings(setup: Setup) -> tuple[str, ...]:
    """The settings that no check looks at, in their order."""
    read = {alias for aliases in NAMES.values() for alias in aliases}
    return tuple(name for name in setup.config if name not in read)


def _folder(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # the home of a user whom this machine does not know
        return Path(name)


def _read(path: Path) -> Mapping[str, Any]:
    if path.suffix in _PICKLES:
        raise UnreadableConfigurationError(
            f"{path} is a pickle, and reading one runs what it holds; give the JSON of the same settings instead: "
            "json.dump(args.to_dict(), file, default=str)"
        )
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise UnreadableConfigurationError(
            f"{path} is no configuration that is understood; give {', '.join(SUFFIXES)} or a run"
        )
    try:
        found = form(path.read_text("utf-8"))
    except OSError as error:
        raise UnreadableConfigurationError(f"cannot read {path}: {error.strerror}") from error
    except (UnicodeDecodeError, ValueError) as error:
        raise UnreadableConfigurationError(f"{path} is not {path.suffix[1:].upper()}: {error}") from error
    if not isinstance(found, Mapping) or not found:
        raise UnreadableConfigurationError(f"{path} holds no settings; a mapping from names to values was expected")
    return found


def _yaml(text: str) -> Any:
    try:
        import yaml  # noqa: PLC0415 - not part of the base install
    except ModuleNotFoundError as error:
        raise UnreadableConfigurationError(
            "reading YAML needs PyYAML; install it with: pip install PyYAML, or give TOML or JSON"
        ) from error
    try:
        return yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(" ".join(str(error).split())) from error


_FORMS: Mapping[str, Callable[[str], Any]] = {
    ".toml": tomllib.loads,
    ".json": json.loads,
    ".yaml": _yaml,
    ".yml": _yaml,
}


def _unwrapped(config: Mapping[str, Any]) -> Mapping[str, Any]:
    """The settings themselves: a run.json holds them under `config`, a config.yaml of W&B each under `value`."""
    inner = config.get("config")
    if isinstance(inner, Mapping) and "algorithm" in config:
        return {"algorithm": config["algorithm"], **inner}
    return {
        name: item["value"]
        if isinstance(item, Mapping) and "value" in item and set(item) <= {"value", "desc"}
        else item
        for name, item in config.items()
        if name not in ("_wandb", "wandb_version")
    }


def _producer(config: Mapping[str, Any], path: Path) -> str:
    if any(name.startswith("actor_rollout_ref.") for name in config):
        return "verl"
    if "actor_learning_rate" in config or "n_samples_per_prompt" in config:
        return "openrlhf"
    if _OF_TRANSFORMERS & config.keys() or _MARKS["ppo-legacy"] & config.keys() - _MARKS["ppo"]:
        return TRL
    is_own = path.suffix == ".toml" or path.name == RUN_FILE or "num_completions_to_log" in config
    return OWN if is_own else TRL


def _algorithm(config: Mapping[str, Any]) -> str:
    """The algorithm that a configuration names, or that most of its names belong to; "unknown" where none do."""
    named = str(config.get("algorithm", ""))
    known = {algorithm for _, algorithm in DEFAULTS}
    if named in known:
        return named
    estimator = config.get("algorithm.adv_estimator", config.get("advantage_estimator"))
    if estimator is not None:
        return _ESTIMATORS.get(str(estimator), "unknown")
    marks = {algorithm: len(names & config.keys()) for algorithm, names in _MARKS.items()}
    best = max(marks, key=lambda algorithm: marks[algorithm])
    if marks[best]:
        return best
    return "unknown"


def _demo_task(config: Mapping[str, Any]) -> str:
    return "remarks" if _algorithm(config) == "ppo" else "addition"
