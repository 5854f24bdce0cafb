"""Names of models and datasets: a local path or a Hugging Face hub id. Imports no torch."""

import re
from collections.abc import Sequence
from pathlib import Path

from diagnostics.told import told
from trainer.config.options import ConfigError

DATASET_SUFFIXES = (".jsonl", ".ndjson", ".json", ".csv", ".tsv", ".parquet")
_HUB_ID = re.compile(r"[\w.-]+(/[\w.-]+)?")
_MODEL_FILES = ("config.json", "adapter_config.json")


def is_path(name: str, suffixes: Sequence[str] = ()) -> bool:
    """Whether a name is a local path: it exists, or no hub id has its form."""
    place = Path(name).expanduser()
    written_as_path = name.startswith((".", "~", "/")) or name.endswith(("/", *suffixes))
    return place.exists() or written_as_path or _HUB_ID.fullmatch(name) is None


def absolute_path(name: str, suffixes: Sequence[str] = ()) -> str:
    """The name with a local path made absolute; a hub id is returned unchanged."""
    return str(Path(name).expanduser().resolve()) if is_path(name, suffixes) else name


def check_model(name: str, option: str, error: type[ValueError] = ConfigError) -> None:
    """Check a model's name as far as possible without loading the model.

    Raises:
        error: The name is a path that holds no model.
    """
    if not is_path(name):
        return
    folder = Path(name).expanduser()
    if not folder.is_dir():
        raise error(f"{option} is {name}, which is not a folder here; give a model's folder, or its id on the hub")
    if not any((folder / file).is_file() for file in _MODEL_FILES):
        raise error(f"{option} is {name}, which has no {_MODEL_FILES[0]}; give the folder that save_pretrained wrote")


def check_dataset(name: str, option: str) -> None:
    """Check a dataset's name as far as possible without reading the dataset.

    Raises:
        ConfigError: The name is a path that holds no dataset.
    """
    if not is_path(name, DATASET_SUFFIXES):
        return
    place = Path(name).expanduser()
    if place.is_dir() or (place.suffix.lower() in DATASET_SUFFIXES and place.is_file()):
        return
    if place.is_file():
        raise ConfigError(
            told(
                "the {option} {name} has an unknown file type; it must end in {names}",
                option=option,
                name=name,
                names=", ".join(DATASET_SUFFIXES),
            )
        )
    raise ConfigError(
        told(
            "the {option} {name} is not a file; give a JSONL, CSV or parquet file with a `prompt` in each "
            "row, a folder that `datasets` has saved, or a dataset's id on the hub",
            option=option,
            name=name,
        )
    )
