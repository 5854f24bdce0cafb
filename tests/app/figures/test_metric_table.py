"""All metrics at one step: raw values, the last finite one beside a NaN, the change since the first step."""

import pytest

from app.figures.metric_table import Row, metric_rows
from diagnostics.api import open_run
from diagnostics.model.run import Run
from diagnostics.runlog import RunLog

NAN, INF = float("nan"), float("inf")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    with RunLog(tmp_path_factory.mktemp("runs") / "a", algorithm="grpo") as log:
        log.log(1, {"mine\x1b": 7.0, "reward": 0.5, "kl": 0.0123456789})
        log.log(2, {"reward": NAN, "kl": 0.02})
        log.log(3, {"reward": -INF, "kl": 0.02})
        log.log(4, {"reward": 0.25, "kl": 1e-9})
    return open_run(log.directory)


def row(run: Run, name: str, step: int | None) -> Row:
    return next(row for row in metric_rows(run, [], step) if row.name == name)


def test_the_crucial_metrics_come_first_and_none_is_left_out(run: Run) -> None:
    assert [row.name for row in metric_rows(run, [], None)] == ["reward", "kl_per_token", "mine␛"]


def test_a_value_is_as_it_was_logged_with_unit_tag_and_what_is_healthy(run: Run) -> None:
    found = row(run, "kl_per_token", 1)
    assert (found.value, found.unit, found.tag, found.healthy) == ("0.0123457", "nats/token", "kl", "below 0.2")
    assert (found.change, found.more) == ("unchanged", "")
    assert row(run, "kl_per_token", 4).value == "1e−09"
    assert row(run, "mine␛", 1).title == row(run, "mine␛", 1).tag == "mine␛"


def test_what_is_no_number_is_told_as_such_beside_the_last_one_that_was(run: Run) -> None:
    found = [row(run, "reward", step) for step in (2, 3)]
    assert [(item.value, item.is_finite, item.change) for item in found] == [("NaN", False, ""), ("−∞", False, "")]
    assert [item.more for item in found] == ["last finite 0.5 at 1"] * 2


def test_the_change_is_since_the_first_step(run: Run) -> None:
    found = row(run, "reward", 4)
    assert (found.first, found.value, found.change) == ("0.5", "0.25", "−0.25, −50 %")


def test_a_step_that_was_not_logged_has_no_value_but_the_last_one_before_it(run: Run) -> None:
    found = row(run, "mine␛", 3)
    assert (found.value, found.is_finite, found.more) == ("–", True, "last 7 at 1")
    assert row(run, "mine␛", None).more == "at 1"
