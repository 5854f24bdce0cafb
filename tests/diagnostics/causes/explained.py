"""The causes that explain the findings in a run."""

from diagnostics.causes import ranked_causes
from diagnostics.model.cause import Cause
from diagnostics.model.run import Run
from diagnostics.rules import evaluate


def diagnosed(run: Run) -> tuple[Cause, ...]:
    """The causes in full."""
    return ranked_causes(run, evaluate(run))


def causes(run: Run) -> list[str]:
    """Their names."""
    return [cause.cause for cause in diagnosed(run)]
