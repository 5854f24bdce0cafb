"""Tests of the measures over several samples, with closed forms."""

import math

import numpy as np

from diagnostics.rules.samples.relations import explained_by, mean_similarity, pairs_of, spearman, spearman_within


def test_ranks_that_agree_correlate_and_ranks_that_do_not_vary_tell_nothing() -> None:
    rising = np.array([1.0, 2.0, 3.0, 10.0])
    assert math.isclose(spearman(rising, rising**3), 1.0)
    assert math.isclose(spearman(rising, -rising), -1.0)
    assert spearman(rising, np.ones(4)) == 0.0


def test_ties_share_their_rank() -> None:
    assert math.isclose(spearman(np.array([1.0, 1.0, 2.0, 2.0]), np.array([1.0, 2.0, 3.0, 4.0])), 2 / math.sqrt(5))


def test_equal_members_are_explained_by_their_group_and_noise_is_not() -> None:
    keys = [place // 4 for place in range(40)]
    values = np.random.default_rng(0).normal(size=40)
    assert math.isclose(explained_by(keys, np.array(keys, dtype=np.float64)), 1.0)
    assert explained_by(keys, values) < 0.3
    assert explained_by(list(range(40)), values) == 0.0


def test_likeness_is_the_share_of_common_trigrams() -> None:
    assert mean_similarity([("a b c d", "a b c d")]) == 1.0
    assert mean_similarity([("a b c d", "a b c x")]) == 1 / 3
    assert mean_similarity([("a b c", "x y z")]) == 0.0
    assert mean_similarity([]) == 0.0


def test_every_pair_comes_once() -> None:
    assert pairs_of(["a", "b", "c"]) == [("a", "b"), ("a", "c"), ("b", "c")]


def test_what_sets_groups_apart_counts_for_nothing_within_them() -> None:
    low, high = np.array([1.0, 2.0, 3.0]), np.array([101.0, 102.0, 103.0])
    assert math.isclose(spearman_within([(low, low), (high, high[::-1])]), 0.0, abs_tol=1e-12)
    assert math.isclose(spearman_within([(low, high), (high, low)]), 1.0)
    assert spearman_within([(low, np.ones(3))]) == 0.0
    assert spearman_within([]) == 0.0
