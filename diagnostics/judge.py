"""Judges a run: evaluates every rule, ranks the causes of what fired, and checks the run's settings."""

from diagnostics.causes import ranked_causes, with_fixes
from diagnostics.configs.config_files import setup_of_run
from diagnostics.model.diagnosis import Diagnosis, LimitOverrides
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from diagnostics.rules.vital import vital_checks


def judge(run: Run, limits: LimitOverrides) -> Diagnosis:
    """The diagnosis of a run. Raises UnknownLimitError where `limits` names a limit that does not exist."""
    outcomes = with_fixes(run, evaluate(run, limits))
    settings = evaluate(setup_of_run(run), limits)
    return Diagnosis(
        run,
        outcomes,
        ranked_causes(run, outcomes, settings),
        limits=limits,
        preflight=settings,
        vital=vital_checks(run.algorithm),
    )
