"""The list as data: its order, its chips, and rows in which every text is one visible line."""

import json
import math
from pathlib import Path

import pytest

from app.figures.sparkline import Sparkline
from app.run_list.chips import Chip, chips, everything
from app.run_list.entry import Entry
from app.run_list.order import Order, first_of_severity
from app.run_list.row import LONGEST, row, status
from app.run_list.summary import Summary
from diagnostics.run_filter.facts import RunFacts
from diagnostics.run_filter.parser import parse
from tests.hostile_text import DANGEROUS, EVERYTHING

NOW = 1e9


def entry(
    name: str, verdict: str = "healthy", age: float = 0.0, state: str = "finished", last: float | None = 1.0, **facts
) -> Entry:
    told = RunFacts(name=name, path=f"/r/{name}", state=state, verdict=(verdict,), step=44, **facts)
    summary = Summary(told, verdict, Sparkline(), last, total=60, time_left="", cost=None)
    return Entry(Path("/r", name), name, told, NOW - age, NOW - age, summary)


def unread(name: str) -> Entry:
    return Entry(Path("/r", name), name, RunFacts(name), None, NOW)


def names(entries: list[Entry]) -> list[str]:
    return [item.name for item in entries]


def test_the_worst_come_first_and_of_these_the_newest() -> None:
    runs = [
        entry("old-critical", "critical", age=90),
        entry("healthy"),
        unread("unread"),
        entry("critical", "critical", age=10),
        entry("note", "info"),
        entry("warning", "warning", age=1000),
    ]
    ordered = Order().sorted(runs)
    assert names(ordered) == ["critical", "old-critical", "warning", "note", "healthy", "unread"]
    assert first_of_severity(ordered) == [False, False, True, True, True, True]


def test_a_second_click_on_a_head_reverses_and_what_has_no_number_stays_last() -> None:
    runs = [entry("nan", last=math.nan), entry("low", last=-5.0), entry("none", last=None), entry("high", last=2.0)]
    once = Order().by("last")
    assert names(once.sorted(runs)) == ["high", "low", "nan", "none"]
    assert names(once.by("last").sorted(runs)) == ["low", "high", "nan", "none"]
    assert once.by("last").by("last") == once


def test_runs_that_go_on_come_before_those_that_failed_and_those_that_ended() -> None:
    runs = [entry("c", state="finished"), entry("a", state="running"), entry("b", state="died")]
    assert names(Order("state").sorted(runs)) == ["a", "b", "c"]


@pytest.mark.parametrize("text", ["", "nonsense", "-", "-nonsense", "<script>"])
def test_an_address_that_names_no_order_means_the_usual_one(text: str) -> None:
    assert Order.parse(text) == Order()


@pytest.mark.parametrize("order", [Order("cost"), Order("written", is_reversed=True)])
def test_an_order_is_read_back_from_the_address(order: Order) -> None:
    assert Order.parse(str(order)) == order


def test_a_chip_counts_what_fits_the_rest_of_the_filter() -> None:
    runs = [
        entry("a", "critical", algorithm="grpo"),
        entry("b", "critical", algorithm="ppo", state="failed"),
        entry("c", "healthy", algorithm="grpo"),
        entry("d", "warning", algorithm="grpo", is_archived=True),
    ]
    told = {
        (chip.field, chip.value): (chip.count, chip.is_on)
        for chip in chips(runs, parse("algorithm:grpo verdict:critical"))
    }
    assert told == {
        ("verdict", "critical"): (1, True),
        ("verdict", "warning"): (0, False),
        ("verdict", "healthy"): (1, False),
        ("state", "failed"): (0, False),
        ("state", "finished"): (1, False),
        ("is", "archived"): (0, False),
    }


def test_a_value_that_no_run_has_but_that_is_asked_for_can_be_taken_back() -> None:
    chosen = [chip for chip in chips([entry("a")], parse("state:running")) if chip.is_on]
    assert [(chip.value, chip.count) for chip in chosen] == [("running", 0)]
    assert isinstance(chosen[0], Chip)


def test_all_takes_back_what_chips_chose_and_nothing_else() -> None:
    assert (
        str(everything(parse("verdict:critical state:failed is:archived -state:died lr>1 word")))
        == "-state:died lr>1 word"
    )


def test_a_row_writes_what_cannot_be_drawn_and_tells_how_far_it_is() -> None:
    told = row(entry("a", "critical", last=math.nan, state="running", age=120), "run=a", NOW)
    assert (told["last"], told["is_finite"], told["progress"], told["written"]) == ("NaN", False, "44/60", "2 min")
    assert math.isclose(told["done"], 44 / 60)
    assert row(entry("a", state="failed"), "run=a", NOW)["progress"] == "at step 44/60"
    assert row(entry("a", age=3), "run=a", NOW)["written"] == "now"
    assert row(unread("a"), "run=a", NOW)["headline"] == "reading …"


def test_a_hostile_row_is_one_visible_line_in_every_cell_and_of_bounded_length() -> None:
    text = EVERYTHING + "x" * 1_000_000
    hostile = entry(text, algorithm=text, producer=text, headline=text, tags=(text,), note=EVERYTHING)
    told = json.dumps(row(hostile, "run=a", NOW), ensure_ascii=False)
    assert not DANGEROUS & set(told)
    assert len(told) < 12 * LONGEST


def test_the_status_says_how_many_are_shown_and_how_far_reading_is() -> None:
    assert status(78, 78, 0, "severity, then newest") == "78 runs · severity, then newest"
    assert status(12, 78, 3, "") == "12 of 78 runs · reading 3 more"
    assert status(1, 1, 0, "") == "1 run"
