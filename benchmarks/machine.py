"""Describes the machine and the environments on which a page of figures was produced."""

import os
import platform
import subprocess
from collections.abc import Sequence

from trainer.acceleration.processor import processor


def machine() -> str:
    """The processor in words; family and model distinguish generations that share a name."""
    told = processor()
    name = told.get("model name", platform.processor())
    generation = (
        f" (family {told['cpu family']}, model {told['model']})" if {"cpu family", "model"} <= told.keys() else ""
    )
    return f"{name}{generation}, {os.cpu_count()} cores"


def versions(python: str, packages: Sequence[str]) -> str:
    """The versions of Python and some packages of an environment."""
    code = (
        "import sys, platform, importlib.metadata as m; print(platform.python_version(), *map(m.version, sys.argv[1:]))"
    )
    said = subprocess.run(
        [python, "-P", "-c", code, *packages], capture_output=True, text=True, check=True
    ).stdout.split()
    return ", ".join(f"{name} {version}" for name, version in zip(("Python", *packages), said, strict=True))
