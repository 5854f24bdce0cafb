"""The cost of a run after the onset of its main finding."""

from collections.abc import Sequence

from diagnostics.cost.gpus import gpus_of
from diagnostics.cost.training_time import time_of_steps
from diagnostics.model.cost import Cost
from diagnostics.model.finding import Finding
from diagnostics.model.outcome import Severity
from diagnostics.model.run import Run


def cost_after_onset(run: Run, findings: Sequence[Finding]) -> Cost | None:
    """What a sick run spent from the onset of its main finding on; None for a run that is not sick, or ended there.

    The main finding is the first, the worst: the one that every report opens with. Its steps are those that are told
    beside it, so a run with several causes is counted once, from the onset of the cause that the others follow from.
    It counts while that finding held: up to the run's last step where it still does, else up to the last step at which
    it did, since what a run did after it had healed is not lost. The step of the onset itself is not counted, as the
    log shows it when that step is over: of a run that was sick from its first step on, all but that one. A mere note is
    no sickness. Steps that a resumed run repeated count once.
    """
    main = next(iter(findings), None)
    if main is None or main.severity is Severity.INFO:
        return None
    last = main.last_step if not main.still or run.last_step is None else run.last_step
    if last <= main.first_step:
        return None
    return Cost(main.first_step, last, main.still, time_of_steps(run, main.first_step, last), gpus_of(run))
