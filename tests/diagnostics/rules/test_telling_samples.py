"""Tests of the samples that illustrate a finding: which are shown, from which steps, and how they are quoted."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.model.messages import render
from diagnostics.model.run import Run
from diagnostics.model.samples import Sample, Samples
from diagnostics.rules import CATALOG, evaluate
from diagnostics.rules.telling_samples import QUOTED, SAMPLE_KINDS, quoted, telling_samples
from diagnostics.texts import templates

MakeRun = Callable[..., Run]
ROWS = (
    Sample(7, "p", "short", score=0.1, terminated=True, group=0),
    Sample(7, "p", "good film good film good film", score=0.9, terminated=False, group=0),
    Sample(7, "q", "fine", score=0.5, terminated=True, group=1),
    Sample(7, "q", "fine too", score=0.5, terminated=True, group=1),
    Sample(7, "r", "broken", score=math.nan, terminated=True, group=2),
)


@pytest.mark.parametrize(
    ("kind", "rows"),
    [
        ("top-scored", [1, 2, 3]),
        ("lowest-scored", [0, 2, 3]),
        ("cut-off", [1]),
        ("not-finite", [4]),
        ("equal-groups", [2]),
        ("longest", [1, 3, 4]),
        ("shortest", [2, 0, 4]),
        ("", []),
    ],
)
def test_each_kind_shows_its_rows(make_run: MakeRun, kind: str, rows: list[int]) -> None:
    run = replace(make_run("grpo"), samples=Samples((7,), lambda step: ROWS))
    shown = telling_samples(run, kind, 5, 9)
    assert sorted(item.row for item in shown) == sorted(rows)
    assert all("{" not in render(item.why, templates()) for item in shown)


def test_answers_to_held_out_prompts_are_shown_where_there_are_no_others(make_run: MakeRun) -> None:
    held_out = tuple(replace(row, split="eval", score=5.0) for row in ROWS[:2])
    for rows, shown in (((*held_out, *ROWS), [3, 4, 5]), (held_out, [0, 1])):
        run = replace(make_run("grpo"), samples=Samples((7,), lambda step, rows=rows: rows))
        assert sorted(item.row for item in telling_samples(run, "top-scored", 5, 9)) == shown


def test_only_steps_of_the_episode_are_shown_the_newest_first(make_run: MakeRun) -> None:
    samples = Samples((1, 5, 9, 30), lambda step: (Sample(step, "q", f"answer {step}", score=1.0),))
    run = replace(make_run("ppo"), samples=samples)
    assert [item.step for item in telling_samples(run, "any", 4, 20)] == [9, 5]
    assert telling_samples(run, "any", 10, 20) == ()


def test_the_first_nan_is_shown_first(make_run: MakeRun) -> None:
    samples = Samples((1, 2, 3), lambda step: (Sample(step, "q", f"answer {step}", score=math.nan),))
    run = replace(make_run("ppo"), samples=samples)
    assert [item.step for item in telling_samples(run, "not-finite", 1, 3)] == [1, 2, 3]


def test_equal_texts_are_shown_once_where_others_exist(make_run: MakeRun) -> None:
    texts = ("same", "same", "same", "other", "third")
    samples = Samples((1,), lambda step: tuple(Sample(step, "q", text, score=1.0) for text in texts))
    run = replace(make_run("ppo"), samples=samples)
    assert [item.quote for item in telling_samples(run, "any", 1, 1)] == ["same", "other", "third"]


def test_a_quote_is_one_short_line() -> None:
    assert quoted("a\n\n b\x1b[31mc") == "a b\x1b[31mc"
    assert (len(quoted("x" * 500)), quoted("x" * 500)[-1]) == (QUOTED, "…")


def test_a_fired_rule_carries_its_samples(make_run: MakeRun) -> None:
    rows = tuple(Sample(20, "q", f"cut {row}", terminated=row > 3) for row in range(8))
    run = make_run("grpo", truncated_fraction="0.9x30")
    run = replace(run, samples=Samples((20,), lambda step: rows))
    outcome = next(outcome for outcome in evaluate(run) if outcome.rule == "truncation-high")
    assert [(item.step, item.row) for item in outcome.evidence.samples] == [(20, 0), (20, 1), (20, 2)]


def test_every_kind_that_a_rule_names_exists() -> None:
    assert {rule.telling_samples for rule in CATALOG if rule.telling_samples} <= set(SAMPLE_KINDS)
