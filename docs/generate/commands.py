"""The output of the listing commands as data: the reference is built from the same output that users see."""

import json
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from diagnostics.cli import main

Row = dict[str, Any]


@cache
def listing(command: str) -> dict[str, Any]:
    """The JSON that `rlvitals COMMAND` prints."""
    return _printed(command)


def entry(name: str, kind: str) -> Row:
    """What `rlvitals explain NAME` prints for the rule, check, cause or metric of that name."""
    (found,) = [page for page in _printed("explain", name)["pages"] if (page["name"], page["kind"]) == (name, kind)]
    return dict(found)


def _printed(*words: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "printed.json"
        if code := main([*words, "--format", "json", "--output", str(output)]):
            raise RuntimeError(f"rlvitals {' '.join(words)} ended with {code}")
        return dict(json.loads(output.read_text("utf-8")))
