"""Configuration files and the settings of runs as setups: which producer they are for, and which model."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from diagnostics.configs.model_folder import facts_of_config, facts_of_folder, size_in_name
from diagnostics.configs.setups import make_setup
from diagnostics.foreign_files.documents import read_json, read_toml, read_yaml
from diagnostics.model.run import Run
from diagnostics.model.setup import ModelFacts, Setup, version_of
from diagnostics.producers.canonical_settings import CHECKED
from diagnostics.producers.config_marks import algorithm_of_config, producer_of_config, version_in_config
from diagnostics.producers.nested_config import flattened
from diagnostics.producers.setting_lookup import arguments_for, given_settings
from diagnostics.producers.table import OURS, producer_named
from diagnostics.told import told

_LAST_POINTS = 50
SUFFIXES = (".toml", ".json", ".yaml", ".yml")
_PICKLES = (".bin", ".pt", ".pkl", ".pickle")


class UnreadableConfigurationError(Exception):
    """A configuration cannot be read; the message is one sentence that says what was found and what to do."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """What the user states that a configuration may not; None: to be found out."""

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
    config = flattened(_unwrapped_settings(_read(path)))
    producer = wishes.producer or producer_of_config(config, path)
    algorithm = wishes.algorithm or algorithm_of_config(config, producer)
    version = wishes.version or version_in_config(config, producer)
    facts = model_facts(algorithm, config, producer, wishes.model)
    return replace(make_setup(algorithm, producer, config, version_of(version), facts), device_gib=wishes.device_gib)


def setup_of_run(run: Run, wishes: Wishes | None = None) -> Setup:
    """What a run was trained with, as a setup; where it logs no settings at all, no defaults are assumed."""
    wishes = wishes or Wishes()
    config = flattened(run.config)
    producer, algorithm = wishes.producer or run.producer, wishes.algorithm or run.algorithm
    version = version_of(wishes.version or run.producer_version)
    facts = model_facts(algorithm, config, run.producer, wishes.model)
    setup = make_setup(algorithm, producer, config, version, facts, has_defaults=bool(config))
    return replace(setup, device_gib=wishes.device_gib, cut_off=_cut_off(run))


def setup_of_options(algorithm: str, options: Mapping[str, Any]) -> Setup:
    """The options of the bundled trainer as a setup."""
    return make_setup(algorithm, OURS.name, options, model=model_facts(algorithm, options, OURS.name))


def _cut_off(run: Run) -> float | None:
    """The share of answers that were cut off at the last logged points; None where it is not logged."""
    shares = run.get("truncated_fraction")
    last = shares.values[-_LAST_POINTS:] if shares is not None else np.zeros(0)
    finite = last[np.isfinite(last)]
    return float(np.median(finite)) if len(finite) else None


def model_facts(algorithm: str, config: Mapping[str, Any], producer: str, named: str | None = None) -> ModelFacts:
    """The facts of the model that is named or configured: from its folder, else from what the arguments say of it.

    Of a model on the hub that is not on this machine only the size is known, where its name tells it.
    """
    names = [str(setting.value) for setting in given_settings(producer, "model", config) if setting.value]
    folders = [_folder(name) for name in (named, *names) if name]
    bundled = None if names else producer_named(producer).bundled_model(algorithm, config)
    folders += [bundled] if bundled else []
    found = (facts_of_folder(folder) for folder in folders)
    known = next((facts for facts in found if facts is not None), None) or facts_of_config(config)
    promised = (size_in_name(folder.name) for folder in folders) if known.parameters is None else ()
    return replace(known, parameters=known.parameters or next((size for size in promised if size), None))


def unread_settings(setup: Setup) -> tuple[str, ...]:
    """The arguments that no check reads, in their order."""
    read = {argument for setting in CHECKED for argument in arguments_for(setup.producer)[setting]}
    return tuple(name for name in setup.config if name not in read)


def _folder(name: str) -> Path:
    try:
        return Path(name).expanduser()
    except RuntimeError:  # the home of a user whom this machine does not know
        return Path(name)


def _read(path: Path) -> Mapping[str, Any]:
    if path.suffix in _PICKLES:
        raise UnreadableConfigurationError(
            told(
                "{file} is a pickle, and reading one runs what it holds; give the JSON of the same settings instead: "
                "{command}",
                file=path,
                command="json.dump(args.to_dict(), file, default=str)",
            )
        )
    form = _FORMS.get(path.suffix.lower())
    if form is None:
        raise UnreadableConfigurationError(
            told(
                "{file} is no configuration that is understood; give {suffixes} or a run",
                file=path,
                suffixes=", ".join(SUFFIXES),
            )
        )
    try:
        found = form(path)
    except OSError as error:
        sentence = told("cannot read {file}: {why}", file=path, why=error.strerror)
        raise UnreadableConfigurationError(sentence) from error
    except ValueError as error:
        sentence = told("{file} is not {format}: {why}", file=path, format=path.suffix[1:].upper(), why=error)
        raise UnreadableConfigurationError(sentence) from error
    if not isinstance(found, Mapping) or not found:
        raise UnreadableConfigurationError(
            told("{file} holds no settings; a mapping from names to values was expected", file=path)
        )
    return found


def _yaml(path: Path) -> Any:
    try:
        return read_yaml(path)
    except ModuleNotFoundError as error:
        raise UnreadableConfigurationError(
            "reading YAML needs PyYAML; install it with: pip install PyYAML, or give TOML or JSON"
        ) from error


_FORMS: Mapping[str, Callable[[Path], Any]] = {
    ".toml": read_toml,
    ".json": read_json,
    ".yaml": _yaml,
    ".yml": _yaml,
}


def _unwrapped_settings(config: Mapping[str, Any]) -> Mapping[str, Any]:
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
