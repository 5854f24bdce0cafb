"""The stops of `rlvitals watch`: which trainings are to end, and the request to each, once."""

from collections.abc import Sequence
from pathlib import Path

from diagnostics.cli.command import CommandError
from diagnostics.cli.packages import check_not_hidden
from diagnostics.cli.stop import stop_run
from diagnostics.judge import FINDINGS
from diagnostics.language import _
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.stop_policy import Holding, StopPolicy


class Stops:
    """Decides for each run by itself. Without anything to stop for it stops nothing."""

    def __init__(self, stop_on: Sequence[str] | None, confirmations: int) -> None:
        """Raises ValueError for a word that is no severity, rule or cause, CommandError where `trainer` is hidden."""
        self._given = (stop_on, confirmations, FINDINGS)
        StopPolicy(*self._given)
        if stop_on:
            check_not_hidden("trainer")
        self._policies: dict[Path, StopPolicy] = {}
        self._asked = set[Path]()

    def take(self, diagnosis: Diagnosis) -> str:
        """Stop the run if that is due; what came of it, empty where nothing was due."""
        run = diagnosis.run
        if run.status.has_ended or run.path in self._asked:
            return ""
        policy = self._policies.setdefault(run.path, StopPolicy(*self._given))
        holding = (
            Holding(
                finding.name, frozenset((finding.name, *(item.rule for item in finding.outcomes))), finding.severity
            )
            for finding in diagnosis.findings
            if finding.still
        )
        reason = policy.reason(run.last_step, holding)
        if not reason:
            return ""
        self._asked.add(run.path)
        return _("rlvitals: {reason}: {outcome}").format(reason=reason, outcome=_stop(run.path))


def _stop(path: Path) -> str:
    """What the trainer says that will happen, or why it refuses."""
    try:
        return stop_run(path)
    except CommandError as error:
        return str(error)
