"""The verdict on a run in which nothing fired."""

from dataclasses import replace

from diagnostics.model.status import Status
from diagnostics.wording.verdicts import verdict_sentence


def test_a_run_that_can_hardly_be_checked_is_not_called_healthy(diagnosed) -> None:
    diagnosis = diagnosed({"some/tag": 1.0}, {"some/tag": 2.0})
    assert diagnosis.verdict == "not-judged"
    assert verdict_sentence(diagnosis).startswith("Only ")


def test_a_run_without_a_metric_is_not_said_to_fail_checks(diagnosed) -> None:
    ended = diagnosed({})
    running = replace(ended, run=replace(ended.run, status=Status("running")))
    assert verdict_sentence(ended) == "Nothing to judge: no metric was logged."
    assert verdict_sentence(running) == "Nothing to judge: no metric is logged yet."
