"""The machine and the environments that a page of figures was printed on, in words."""

import os
import platform
import subprocess
from collections.abc import Sequence

from trainer.acceleration.processor import processor


def machine() -> str:
    """The processor, in words; its family and model tell generations of one name apart."""
    told = processor()
    name = told.get("model name", platform.processor())
    generation = (
        f" (family {told['cpu family']}, model {told['model']})" if {"cpu family", "model"} <= told.keys() else ""
    )
    return f"{name}{generation}, {os.cpu_count()} cores"


def versions(python: str, packages: Sequence[str]) -> str:
    """Python and some packages of an environment, by their versions."""
    code = (
        "import sys, platform, importlib.metadata as m; print(platform.python_version(), *map(m.version, sys.argv[1:]))"
    )
    said = subprocess.run(
        [python, "-P", "-c", code, *packages], capture_output=True, text=True, check=True
    ).stdout.split()
    return ", ".join(f"{name} {version}" for name, version in zip(("Python", *packages), said, strict=True))
