"""Runs side by side in words and in every form."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from diagnostics.api import diagnose, open_run
from diagnostics.comparison import LETTERS, MOST_RUNS, side_by_side
from diagnostics.comparison.figures import Change
from diagnostics.model.diagnosis import Diagnosis
from diagnostics.report.report import Problem
from diagnostics.report.side_by_side import FORMS
from diagnostics.report.terminal import Style
from diagnostics.runlog import RunLog
from diagnostics.visible_text import one_line
from diagnostics.wording.side_by_side import change_text, letters, relaunch_sentence, side_by_side_notes
from tests.hostile_text import DANGEROUS, EVERYTHING

Write = Callable[..., tuple[Diagnosis, str]]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a GRPO run whose reward rises to `best`; returns its diagnosis and its id."""

    def write_one(
        name: str,
        *,
        cut: float = 0.02,
        best: float = 1.0,
        parent: str | None = None,
        last: int = 40,
        algorithm: str = "grpo",
        config: Mapping[str, Any] | None = None,
    ) -> tuple[Diagnosis, str]:
        folder = tmp_path / one_line(name)[:8]
        with RunLog(folder, name=name, algorithm=algorithm, config=config or {}, parent=parent, total=last) as log:
            for step in range(1, last + 1):
                log.log(step, {"reward": best * step / last, "reward_std": 0.3, "completions/clipped_ratio": cut})
        return diagnose(open_run(folder)), log.run_id

    return write_one


def test_a_child_beside_its_parent_says_what_became_of_the_finding_and_the_reward(write: Write) -> None:
    parent, run_id = write("a", cut=0.9, best=0.5, config={"max_completion_length": 3})
    child, _ = write("b", best=1.0, parent=run_id, config={"max_completion_length": 9})
    side = side_by_side([parent, child])
    assert (side.parent_of(1), side.parent_of(0)) == (0, None)
    assert relaunch_sentence(side.relaunches[0]) == (
        "B, relaunched from A with max_completion_length 3 → 9: “The completions are cut off before they end” is gone "
        "(there since step 1). reward up to step 40, mean of 10 logged steps: 0.444 → 0.887."
    )


def test_what_must_be_known_before_comparing_is_said(write: Write) -> None:
    grpo, _ = write("a", config={"reward_weights": [1.0]})
    rloo, _ = write("b", algorithm="rloo", config={"reward_weights": [2.0]})
    silent, _ = write("c")
    assert list(side_by_side_notes(side_by_side([grpo, rloo, silent]))) == [
        "The algorithms differ (grpo, rloo): only metrics that two runs share are compared.",
        "Rewards of B are not compared with those of A: reward_weights differs.",
        "C logs no settings.",
    ]


def test_rewards_are_compared_with_those_runs_that_score_alike(write: Write) -> None:
    found = [write(name, config={"reward_weights": [weight]})[0] for name, weight in (("a", 1), ("b", 1), ("c", 2))]
    side = side_by_side(found)
    (rewards,) = [figure for figure in side.figures if figure.metric == "reward"]
    assert [change is None for change in rewards.changes] == [True, False, True]
    of_both = "Rewards are not compared: reward_weights differs."
    assert of_both in side_by_side_notes(side_by_side([found[2], *found[:2]]))


def test_seeds_are_said_to_be_one_band_with_their_number(write: Write) -> None:
    found = [write(name, config={"beta": 0.1, "seed": seed})[0] for name, seed in (("a", 1), ("b", 2), ("c", 3))]
    notes = list(side_by_side_notes(side_by_side(found)))
    assert notes == ["A, B and C differ in the seed alone: their mean and range are one band, n = 3."]


def test_a_change_is_a_percentage_until_a_factor_says_more() -> None:
    changes = (
        Change(0.1, 0.2),
        Change(-0.5, -1.0),
        Change(9.0, 9.99),
        Change(75.0, 75.0),
        Change(1.0, None),
        Change(0.0, 0.0),
    )
    assert [change_text(change) for change in (*changes, None)] == [
        "+0.1, +20 %",
        "−0.5, −100 %",
        "+9, +999 %",
        "+75, 76×",
        "+1",
        "unchanged",
        "",
    ]


def test_letters_are_as_many_as_runs_that_may_be_compared() -> None:
    assert len(set(LETTERS)) == MOST_RUNS
    assert [letters(places) for places in ((0,), (0, 1), (0, 1, 3))] == ["A", "A and B", "A, B and D"]


def test_every_form_tells_settings_verdicts_and_figures(write: Write) -> None:
    first, _ = write("a", cut=0.9, best=0.5, config={"beta": 0.0, "seed": 1})
    second, _ = write("b", config={"beta": 0.5, "seed": 1})
    side = side_by_side([first, second])
    for form, write_form in FORMS.items():
        text = " ".join(write_form(side, [Problem("c", "c holds no run")], Style()).split()).replace("\\", "")
        for part in ("beta", "The completions are cut off before they end.", "0.5"):
            assert part in text, form
    document = json.loads(FORMS["json"](side, [Problem("c", "c holds no run")], Style()))
    assert document["runs"][0]["verdict"] == "critical"
    assert [row["argument"] for row in document["settings"]["differing"]] == ["beta"]
    reward = next(figure for figure in document["figures"] if figure["metric"] == "reward")
    assert reward["readings"] == [{"step": 40, "value": 0.5}, {"step": 40, "value": 1.0}]
    assert reward["changes"] == [None, {"absolute": 0.5, "relative": 1.0}]
    assert document["errors"] == [{"path": "c", "error": "c holds no run"}]


def test_hostile_names_and_settings_are_text_in_every_form(write: Write) -> None:
    found = [write(f"{index}{EVERYTHING}", config={EVERYTHING: f"{EVERYTHING}{index}"})[0] for index in (1, 2)]
    for form, write_form in FORMS.items():
        text = write_form(side_by_side(found), [], Style())
        assert DANGEROUS & set(text) == set(), form
