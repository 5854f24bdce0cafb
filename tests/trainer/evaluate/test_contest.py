"""Contests: swaps, ties and the Wilson interval."""

import math

import pytest

from trainer.evaluate.contest import Pair, Tally, Verdict, combined_verdict, judge_pairs, wilson_interval

ROW = {"prompt": "?"}


class Longer:
    """Prefers the longer answer; sees no order."""

    is_position_biased = False

    def verdicts(self, pairs: list[Pair]) -> list[Verdict | None]:
        return ["a" if len(pair.a) > len(pair.b) else "b" if len(pair.b) > len(pair.a) else "tie" for pair in pairs]


class First:
    """Always prefers the first answer: all bias and no judgement."""

    is_position_biased = True

    def verdicts(self, pairs: list[Pair]) -> list[Verdict | None]:
        return ["a"] * len(pairs)


class LongerInBothOrders(Longer):
    """As `Longer`, but asked twice."""

    is_position_biased = True


class Mute:
    """Gives no verdict."""

    is_position_biased = True

    def verdicts(self, pairs: list[Pair]) -> list[Verdict | None]:
        return [None] * len(pairs)


def test_a_pair_is_seen_from_its_first_answer() -> None:
    assert Tally(wins=1, ties=1, losses=1) == judge_pairs(
        Longer(), [Pair(ROW, "abc", "d"), Pair(ROW, "a", "b"), Pair(ROW, "a", "bc")]
    )


def test_identical_answers_are_a_tie_that_no_judge_is_asked_about() -> None:
    assert Tally(wins=0, ties=2, losses=0, identical=2) == judge_pairs(
        Mute(), [Pair(ROW, "a", "a"), Pair(ROW, "b", "b")]
    )


def test_a_judge_that_always_prefers_the_first_gives_only_inconsistent_ties() -> None:
    assert Tally(wins=0, ties=2, losses=0, inconsistent=2) == judge_pairs(
        First(), [Pair(ROW, "a", "b"), Pair(ROW, "c", "d")]
    )


def test_asking_in_both_orders_changes_nothing_for_a_consistent_judge() -> None:
    pairs = [Pair(ROW, "abc", "d"), Pair(ROW, "a", "b"), Pair(ROW, "a", "bc")]
    assert judge_pairs(Longer(), pairs) == judge_pairs(LongerInBothOrders(), pairs)


def test_a_missing_verdict_is_counted_and_not_guessed() -> None:
    tally = judge_pairs(Mute(), [Pair(ROW, "a", "b")])
    assert Tally(wins=0, ties=0, losses=0, unjudged=1) == tally
    assert math.isnan(tally.win_rate)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("a", "b", "a"),
        ("b", "a", "b"),
        ("tie", "tie", "tie"),
        ("a", "a", "inconsistent"),
        ("a", "tie", "inconsistent"),
        (None, "a", None),
        ("a", None, None),
    ],
)
def test_two_verdicts_agree_when_they_name_the_same_answer(first: Verdict, second: Verdict, expected: str) -> None:
    assert expected == combined_verdict(first, second)


def test_a_tie_counts_half() -> None:
    assert Tally(wins=1, ties=2, losses=1).win_rate == 0.5
    assert Tally(wins=0, ties=2, losses=2).win_rate == 0.25


def test_the_interval_is_wilsons() -> None:
    # Half of ten at z = 2: centre ½ by symmetry, reach 2/(1 + 0.4) · √(0.025 + 0.01)... written out:
    assert pytest.approx((0.5 - 2 / 1.4 * math.sqrt(0.035), 0.5 + 2 / 1.4 * math.sqrt(0.035))) == wilson_interval(
        0.5, 10, z=2
    )
    # Brown, Cai and DasGupta's form at the edge: with no win the upper end is z²/(n + z²).
    assert pytest.approx((0.0, 4 / 14)) == wilson_interval(0.0, 10, z=2)
    assert pytest.approx((10 / 14, 1.0)) == wilson_interval(1.0, 10, z=2)


def test_the_interval_is_where_the_score_test_rejects() -> None:
    rate, count, z = 0.3, 40, 1.96
    for end in wilson_interval(rate, count, z):
        assert pytest.approx(z) == abs(rate - end) / math.sqrt(end * (1 - end) / count)


def test_no_trials_have_no_interval() -> None:
    assert all(math.isnan(end) for end in wilson_interval(math.nan, 0))
