"""User-defined reward functions, as files."""

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write_rewards(tmp_path: Path) -> Callable[[str], Path]:
    """write_rewards(source): writes a file my_rewards.py with that source."""

    def write(source: str) -> Path:
        file = tmp_path / "my_rewards.py"
        file.write_text(source, encoding="utf-8")
        return file

    return write
