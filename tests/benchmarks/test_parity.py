"""The parity benchmark detects differences; with TRL available (TRL_PYTHON, set by `make parity`) it also runs."""

import json
import math
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.parity import compare
from benchmarks.parity.cases import CASES
from benchmarks.parity.compare import Comparison
from benchmarks.parity.curves import Block, run_theirs
from benchmarks.trl_parity import identical_rollouts

RESULT = Path(__file__).resolve().parents[2] / "docs" / "benchmarks" / "parity.md"
TRL_PYTHON = os.environ.get("TRL_PYTHON")
COMPARISON = Comparison(CASES[0], "kl", step=1, ours=0.5, theirs=0.5)


@pytest.mark.parametrize(
    ("ours", "theirs", "holds"),
    [
        (0.5, 0.5, True),
        (0.5, 0.50009, True),
        (0.5, 0.50011, False),
        (2000.0, 2000.1, True),  # relative above 1
        (2000.0, 2000.3, False),
        (math.nan, 0.5, False),
        (math.nan, math.nan, False),
    ],
)
def test_equal_means_a_ten_thousandth_relative_above_1(ours, theirs, holds):
    assert replace(COMPARISON, ours=ours, theirs=theirs).holds == holds


def test_a_difference_on_purpose_holds_only_if_one_definition_gives_one_value():
    apart = replace(COMPARISON, ours=0.5, theirs=0.7, reason="another mean")
    assert not apart.holds
    assert replace(apart, adapted=0.7).holds
    assert not replace(apart, adapted=0.5).holds
    assert replace(apart, adapted=0.5, is_theirs_adapted=True).holds


def test_curves_agree_while_their_distance_is_within_what_seeds_explain():
    def holds(shift: float) -> bool:
        ours = [1.0, 2.0, 3.0]
        return Block("grpo", "kl", 1, 6, ours, [value + shift for value in ours]).holds

    limit = 7.173 * math.sqrt(2 / 3)  # the spread is 1
    assert (holds(limit - 0.01), holds(limit + 0.01), holds(math.nan)) == (True, False, False)


@pytest.mark.slow
def test_the_limit_of_t_is_exceeded_by_chance_in_two_of_a_thousand_blocks():
    generator = np.random.default_rng(0)
    draws = generator.normal(size=(20_000, 2, 4))
    outside = sum(not Block("grpo", "kl", 1, 6, list(ours), list(theirs)).holds for ours, theirs in draws)
    assert outside / 20_000 == pytest.approx(0.002, abs=0.001)


def test_curves_without_any_spread_agree_only_if_they_are_one():
    assert Block("grpo", "kl", 1, 6, [1.0, 1.0], [1.0, 1.0]).holds
    assert not Block("grpo", "kl", 1, 6, [1.0, 1.0], [1.1, 1.1]).holds


def test_the_committed_result_covers_every_case_and_holds_everywhere():
    text = RESULT.read_text("utf-8")
    assert [case.name for case in CASES if case.name not in text] == []
    assert "trl 1.12.0" in text
    assert "DIFFERS" not in text
    assert "OUTSIDE" not in text
    assert text.count("| within |") > 20


@pytest.mark.process
@pytest.mark.skipif(not TRL_PYTHON, reason="needs an environment with TRL: make parity")
def test_trl_agrees_on_our_rollouts_and_not_on_ones_with_other_rewards(tmp_path):
    comparisons = identical_rollouts(tmp_path, TRL_PYTHON)
    assert [result for result in comparisons if not result.holds] == []
    _turn_rewards_round(tmp_path / "01" / "run" / "samples.jsonl")
    run_theirs(TRL_PYTHON, "benchmarks.trl_side.grpo_replay", tmp_path)
    changed = {result.metric for result in compare.compare_all(tmp_path) if not result.holds}
    assert {"reward", compare.GRADIENTS} <= changed  # the loss of a batch on policy is near 0 whatever the rewards


def _turn_rewards_round(samples: Path) -> None:
    rows = [json.loads(line) for line in samples.read_text("utf-8").splitlines()]
    for row in rows:
        row["rewards"] = {name: 1 - value for name, value in row["rewards"].items()}
    samples.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
