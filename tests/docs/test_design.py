"""The design page names tests that exist."""

import re
from pathlib import Path

DESIGN = Path(__file__).resolve().parents[2] / "docs" / "design.md"


def test_every_test_that_holds_an_addition_exists() -> None:
    named = re.findall(r"\[`(test_\w+)`\]\((\S+)\)", DESIGN.read_text("utf-8"))
    assert len(named) > 10
    missing = [name for name, path in named if f"def {name}(" not in (DESIGN.parent / path).read_text("utf-8")]
    assert missing == []
