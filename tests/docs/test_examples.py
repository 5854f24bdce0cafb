"""The example workflow is one by GitHub's own schema, and its commands exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from diagnostics.cli.command import COMMANDS

EXAMPLES = Path(__file__).resolve().parents[2] / "docs" / "examples"
WORKFLOWS = sorted(EXAMPLES.glob("*.yml"))


@pytest.mark.process
def test_every_workflow_is_one_by_its_schema() -> None:
    checker = Path(sys.executable).with_name("check-jsonschema")
    command = [sys.executable, "-m", "check_jsonschema"] if not checker.exists() else [str(checker)]
    done = subprocess.run(
        [*command, "--builtin-schema", "vendor.github-workflows", *map(str, WORKFLOWS)],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (WORKFLOWS != [], done.returncode) == (True, 0), done.stdout


@pytest.mark.process
def test_every_option_of_a_workflows_commands_exists() -> None:
    lines = [line for path in WORKFLOWS for line in re.findall(r"rlvitals .*", path.read_text("utf-8"))]
    for words in map(shlex.split, lines):
        assert words[1] in COMMANDS
        asked = [sys.executable, "-P", "-m", "diagnostics.cli", words[1], "--help"]
        told = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=True).stdout
        assert [word for word in words if word.startswith("--") and word not in told] == []
    assert lines
