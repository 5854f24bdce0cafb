"""The fields by which every JSON output identifies a run."""

from typing import Any

from diagnostics.addresses import shown
from diagnostics.model.run import Run
from diagnostics.wording.runs import standstill


def run_fields(run: Run) -> dict[str, Any]:
    """The fields by which every JSON output describes a run."""
    steps = run.steps
    return {
        "path": shown(run.path),
        "run_id": run.run_id,
        "name": run.name,
        "sources": [{"format": source.format, "path": shown(source.path)} for source in run.sources],
        "producer": run.producer,
        "producer_version": run.producer_version,
        "algorithm": run.algorithm,
        "state": run.status.state,
        "standstill": standstill(run) or None,
        "steps": {
            "first": int(steps[0]) if len(steps) else None,
            "last": int(steps[-1]) if len(steps) else None,
            "logged": len(steps),
        },
    }
