"""The Dockerfile names files, extras and options that exist."""

import json
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCKERFILE = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")


def instructions(name: str) -> list[str]:
    """What stands behind an instruction, each time it is used."""
    return re.findall(rf"^{name} +(.*)$", DOCKERFILE, flags=re.MULTILINE)


def test_what_is_copied_and_installed_exists() -> None:
    copied = [word for line in instructions("COPY") if "--from" not in line for word in line.split()[:-1]]
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    packages = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    extras = re.findall(r"\.\[([\w,]+)\]", DOCKERFILE)
    assert all((ROOT / word).exists() for word in copied)
    assert {*packages, "pyproject.toml", project["project"]["readme"], *project["project"]["license-files"]} <= {
        *copied
    }
    assert extras
    assert {*extras[0].split(",")} <= project["project"]["optional-dependencies"].keys()


@pytest.mark.process
def test_it_starts_a_read_only_dashboard_with_options_that_there_are() -> None:
    command, *words = json.loads(instructions("ENTRYPOINT")[0])
    asked = [sys.executable, "-P", "-m", "diagnostics.cli", words[0], "--help"]
    told = subprocess.run(asked, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout
    assert (command, words[0]) == ("rlvitals", "ui")
    assert "--read-only" in words
    assert [word for word in words if word.startswith("--") and word not in told] == []
    assert [line for line in instructions("USER") if line in ("root", "0")] == []
    assert all(shlex.split(line) for line in instructions("RUN"))
