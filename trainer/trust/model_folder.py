"""What loading a model's folder executes: its Python files, code that it names on the hub, pickled weights."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_json
from diagnostics.told import told
from trainer.config.options import ConfigError

MOST_FILES = 1000
"""Python files of one model's folder."""
_WITH_AUTO_MAP = ("config.json", "tokenizer_config.json")
_SAFE, _PICKLED = "model.safetensors", "pytorch_model.bin"
_SAFE_ADAPTER, _PICKLED_ADAPTER = "adapter_model.safetensors", "adapter_model.bin"
_SAFE_SUFFIX = ".safetensors"


def python_files(folder: Path) -> list[Path]:
    """Every Python file at or below a folder, sorted. Raises ConfigError for more than MOST_FILES."""
    found: list[Path] = []
    for parent, _, names in os.walk(folder):
        found += (Path(parent) / name for name in names if name.endswith(".py"))
        if len(found) > MOST_FILES:
            raise ConfigError(
                told(
                    "{folder} holds more than {most:,} Python files: too many for a model's own code to be "
                    "checked; name the folder that save_pretrained wrote",
                    folder=folder,
                    most=MOST_FILES,
                )
            )
    return sorted(path for path in found if path.is_file())


def code_on_hub(folder: Path) -> list[str]:
    """The repositories on the hub whose code a model's folder names: `repository--module.Class` in an auto_map."""
    named = (word for file in _WITH_AUTO_MAP for word in _words(_object_in(folder / file).get("auto_map")))
    return sorted({word.partition("--")[0] for word in named if "--" in word})


def pickled_weights(folder: Path) -> list[Path]:
    """The pickled files that transformers or peft reads as the weights of this folder; safetensors come first."""
    if (folder / "adapter_config.json").is_file():
        names = [] if (folder / _SAFE_ADAPTER).is_file() else [_PICKLED_ADAPTER]
    elif (folder / _SAFE).is_file():
        names = []
    elif (folder / f"{_SAFE}.index.json").is_file():
        names = _shards(folder / f"{_SAFE}.index.json")
    else:
        names = [_PICKLED] if (folder / _PICKLED).is_file() else _shards(folder / f"{_PICKLED}.index.json")
    return sorted(path for name in names if (path := folder / name).is_file())


def base_of_adapter(folder: Path) -> list[str]:
    """The model that an adapter's folder was trained on; none for another folder."""
    name = _object_in(folder / "adapter_config.json").get("base_model_name_or_path")
    return [name] if isinstance(name, str) and name else []


def _shards(index: Path) -> list[str]:
    """The pickled files that an index of shards names."""
    shards = _object_in(index).get("weight_map")
    return sorted({name for name in _words(shards) if not name.endswith(_SAFE_SUFFIX)})


def _object_in(file: Path) -> dict[str, Any]:
    """The JSON object in a file; an empty one where there is none, which transformers refuses to load."""
    try:
        found = read_json(file)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _words(value: Any) -> Iterator[str]:
    """The texts among the values of an object or list, one level of lists deep."""
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from (word for word in (item if isinstance(item, list) else [item]) if isinstance(word, str))
