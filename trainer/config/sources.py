"""What names a model or a dataset: a place on this machine, or an id of the Hugging Face hub; no torch here."""

import re
from collections.abc import Sequence
from pathlib import Path

from trainer.config.options import ConfigError

DATASET_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_MODEL_FILES = ("config.json", "adapter_config.json")


def is_path(name: str, suffixes: Sequence[str] = ()) -> bool:
    """Whether a name means a place on this machine: it exists, or it has a form that no hub id has."""
    place = Path(name).expanduser()
    written_as_path = name.startswith((".", "~", "/")) or name.endswith(("/", *suffixes))
    return place.exists() or written_as_path or _HUB_ID.fullmatch(name) is None


def absolute(name: str, suffixes: Sequence[str] = ()) -> str:
    """The name, a path made absolute so that it means the same from every folder; a hub id stays."""
    return str(Path(name).expanduser().resolve()) if is_path(name, suffixes) else name


def check_model(name: str, option: str, error: type[ValueError] = ConfigError) -> None:
    """Say what is wrong with a model's name, as far as this machine can tell without loading it.

    Raises:
        error: the name is a path, and no model is there.
    """
    if not is_path(name):
        return
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise error(f"{option} is {name}, which is not a folder here; give a model's folder, or its id on the hub")
    if not any((folder / file).is_file() for file in _MODEL_FILES):
        raise error(f"{option} is {name}, which has no {_MODEL_FILES[0]}; give the folder that save_pretrained wrote")


def check_dataset(name: str, option: str) -> None:
    """Say what is wrong with a dataset's name, as far as this machine can tell without reading it.

    Raises:
        ConfigError: the name is a path, and no dataset is there.
    """
    if not is_path(name, DATASET_SUFFIXES):
        return
    place = Path(name).expanduser()
    if place.is_dir() or (place.suffix.lower() in DATASET_SUFFIXES and place.is_file()):
        return
    if place.is_file():
        raise ConfigError(f"the {option} {name} is of an unknown kind; it must end in {', '.join(DATASET_SUFFIXES)}")
    raise ConfigError(
        f"the {option} {name} is not a file; give a JSONL, CSV or parquet file with a `prompt` in each row, a folder "
        "that `datasets` has saved, or a dataset's id on the hub"
    )
