"""Tests of what words tell of prompts and scores."""

import numpy as np
import pytest

from diagnostics.rules.samples.bags import own_prompt_found, predictable_share

TOPICS = ["harbour", "violin", "glacier", "bakery", "orchard", "comet", "library", "saddle"]


def queries(count: int) -> list[str]:
    return [f"tell me number {place} about the {TOPICS[place % 8]}" for place in range(count)]


def test_answers_that_name_their_topic_find_their_prompt() -> None:
    prompts = [f"Tell me about the {topic}" for topic in TOPICS]
    assert own_prompt_found(prompts, [f"the old {topic} is quiet" for topic in TOPICS]) == 1.0


def test_equal_answers_find_it_by_chance() -> None:
    prompts = [f"Tell me about the {topic}" for topic in TOPICS]
    assert own_prompt_found(prompts, ["all is well"] * 8) == pytest.approx(1 / 8)


def test_swapped_answers_never_find_it() -> None:
    prompts = [f"Tell me about the {topic}" for topic in TOPICS]
    swapped = [f"the old {topic} is quiet" for topic in (*TOPICS[1:], TOPICS[0])]
    assert own_prompt_found(prompts, swapped) == 0.0


def test_a_score_of_the_topic_is_predicted_from_queries_that_were_left_out() -> None:
    scores = np.array([place % 8 for place in range(96)], dtype=np.float64)
    assert predictable_share(queries(96), scores) > 0.85


def test_a_score_of_the_length_is_predicted() -> None:
    texts = [" ".join(["word"] * (1 + place % 24)) + f" {place}" for place in range(96)]
    scores = np.log1p([float(1 + place % 24) for place in range(96)])
    assert predictable_share(texts, scores) > 0.8


@pytest.mark.parametrize("seed", range(5))
def test_chance_is_not_predicted(seed: int) -> None:
    assert predictable_share(queries(96), np.random.default_rng(seed).normal(size=96)) < 0.1


def test_scores_that_do_not_vary_are_not_explained() -> None:
    assert predictable_share(queries(64), np.ones(64)) == 0.0
