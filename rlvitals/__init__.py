"""The public Python interface of rlvitals: each name is imported when it is first used."""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from diagnostics.api import UnreadableRun, diagnose, find_runs, open_run, watch
    from diagnostics.callback import DiagnosisCallback
    from diagnostics.model.diagnosis import Diagnosis
    from diagnostics.model.run import Run
    from diagnostics.runlog import RunLog, RunLogError

__all__ = [
    "Diagnosis",
    "DiagnosisCallback",
    "Run",
    "RunLog",
    "RunLogError",
    "UnreadableRun",
    "diagnose",
    "find_runs",
    "open_run",
    "watch",
]

_HOMES = {
    "Diagnosis": "diagnostics.model.diagnosis",
    "DiagnosisCallback": "diagnostics.callback",
    "Run": "diagnostics.model.run",
    "RunLog": "diagnostics.runlog",
    "RunLogError": "diagnostics.runlog",
    "UnreadableRun": "diagnostics.api",
    "diagnose": "diagnostics.api",
    "find_runs": "diagnostics.api",
    "open_run": "diagnostics.api",
    "watch": "diagnostics.api",
}


def __getattr__(name: str) -> Any:
    """Import a public name. Raises ImportError where a module of the user's own hides one of our packages."""
    if name not in _HOMES:
        raise AttributeError(f"module 'rlvitals' has no attribute {name!r}")
    _check_not_hidden(_HOMES[name].partition(".")[0])
    found = getattr(import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def _check_not_hidden(package: str) -> None:
    """The names of our packages are common: one in the folder of a script comes before ours."""
    found = import_module(package).__file__
    if found is None or Path(found).resolve().parents[1] != Path(__file__).resolve().parents[1]:
        raise ImportError(
            f"{found or package} hides rlvitals' own package {package!r}; rename it, or take its folder off the path"
        )
