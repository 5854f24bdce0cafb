"""The generated pages match what the code generates today."""

from pathlib import Path

import pytest

from docs.generate.pages import DOCS, PAGES


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(DOCS).as_posix())
def test_a_generated_page_is_current(path: Path) -> None:
    assert path.read_text("utf-8") == PAGES[path](), "make reference writes it anew"
