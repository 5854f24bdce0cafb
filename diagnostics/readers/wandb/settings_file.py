"""Reads `config.yaml`, in which W&B and SwanLab keep a run's settings beside its log, each nested under `value`."""

from functools import lru_cache
from pathlib import Path
from typing import Any

from diagnostics.foreign_files.documents import read_yaml
from diagnostics.readers.wandb.history import OWN_KEYS

CONFIG = "config.yaml"
_MOST_FILES = 64  # that are remembered


def settings_in(file: Path) -> dict[str, Any]:
    """The settings in a file; none where there is no such file, and none without PyYAML, which reads it."""
    try:
        found = file.stat()
        return dict(_read(file, (found.st_ino, found.st_size, found.st_mtime_ns)))
    except (ImportError, OSError, ValueError):
        return {}


@lru_cache(_MOST_FILES)
def _read(file: Path, stamp: tuple[int, int, int]) -> dict[str, Any]:
    """The settings of a file with this inode, size and time: a log that grows is read often, and they rarely change."""
    found = read_yaml(file, errors="replace")
    items = found.items() if isinstance(found, dict) else ()
    nested = {str(name): item["value"] for name, item in items if isinstance(item, dict) and "value" in item}
    return {name: value for name, value in nested.items() if name not in OWN_KEYS}
