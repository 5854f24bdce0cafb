"""What one command reports."""

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.outcome import Severity
from diagnostics.report.report import Report


def test_the_worst_of_a_report_is_that_of_all_its_runs(broken_critic: Diagnosis) -> None:
    assert Report(diagnoses=(broken_critic,)).worst is Severity.CRITICAL
    assert Report().worst is None
