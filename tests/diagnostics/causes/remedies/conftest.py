"""The value that a remedy suggests for a run."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.causes.remedies.catalog import REMEDIES, TEXTS
from diagnostics.model.messages import render
from diagnostics.model.run import Run


@pytest.fixture
def suggested() -> Callable[[Run, str], Any]:
    """suggested(run, "fitted-kl"): None if the remedy proposes no fix, or only a person can choose a value."""

    def suggest(run: Run, remedy: str) -> Any:
        fix = REMEDIES[remedy].fix(run)
        assert fix is None or "{" not in render(fix.why, TEXTS)
        return None if fix is None else fix.suggested

    return suggest
