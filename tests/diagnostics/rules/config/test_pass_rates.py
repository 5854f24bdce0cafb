"""Pass rates of an untrained policy, and the check of groups that teach nothing, at their boundaries."""

import math

import pytest

from diagnostics.model.setup import Probe, ProbedPrompt
from diagnostics.rules.config.pass_rates import pass_rates

NAN = math.nan
MIXED, SOLVED, UNSOLVED = (0.0, 1.0, 1.0, 0.0), (1.0,) * 4, (0.0,) * 4


def probe(*groups: tuple[float | None, ...]) -> Probe:
    prompts = (ProbedPrompt({"prompt": f"{place}?"}, f"{place}?", rewards) for place, rewards in enumerate(groups))
    return Probe((3,) * 4 * len(groups), 24, tuple(prompts))


def test_a_pass_is_midway_between_the_lowest_and_the_highest_reward_unless_it_is_given() -> None:
    graded = probe((-1.0, 0.9, 1.0, 3.0))
    assert pass_rates(graded).pass_at == 1.0
    assert pass_rates(graded).rates == (0.5,)
    assert pass_rates(graded, 3.0).rates == (0.25,)


@pytest.mark.parametrize("groups", [(), (UNSOLVED, UNSOLVED), ((None, NAN),)])
def test_where_nothing_tells_a_pass_there_are_no_rates(groups) -> None:
    assert pass_rates(probe(*groups)) is None


def test_what_is_not_scorable_or_not_finite_does_not_pass() -> None:
    assert pass_rates(probe((1.0, None, NAN, 0.0))).rates == (0.25,)


def test_the_histogram_counts_every_prompt_once_and_its_edges_belong_to_the_kept() -> None:
    fifths = [tuple([1.0] * passed + [0.0] * (5 - passed)) for passed in range(6)]
    rates = pass_rates(probe(*fifths, (1.0, *(0.0,) * 9), (*(1.0,) * 9, 0.0)))
    assert [count for _, count in rates.histogram] == [1, 1, 1, 1, 2, 1, 1]
    assert [rate for _, rate in rates.kept] == [0.2, 0.4, 0.6, 0.8]


@pytest.mark.parametrize(
    ("groups", "word"),
    [
        ((MIXED, SOLVED), "warning"),
        ((MIXED, MIXED, SOLVED), "quiet"),
        ((MIXED, (0.5, None, 0.5, NAN)), "warning"),  # those that were scored are alike
        ((MIXED, (0.5, 0.5, 0.5, 0.6)), "quiet"),
        ((UNSOLVED,), "warning"),
    ],
)
def test_half_of_the_groups_without_a_difference_is_a_warning(judged, groups, word) -> None:
    assert judged("pf-groups-alike", {}, probe=probe(*groups)).word == word


def test_it_says_whether_silent_groups_are_solved_or_hopeless(judged) -> None:
    found = judged("pf-groups-alike", {}, probe=probe(MIXED, SOLVED, UNSOLVED, UNSOLVED))
    assert "To 3 of 4 prompts the untrained policy's 4 answers all earn the same" in found.sentence
    assert "1 of them earn the highest reward that was seen, 2 the lowest" in found.sentence


def test_single_answers_and_algorithms_without_groups_are_not_judged(judged) -> None:
    assert judged("pf-groups-alike", {}, probe=Probe((3,) * 32, 24)) is None
    assert judged("pf-groups-alike", {}, "ppo", probe=probe(SOLVED)) is None
