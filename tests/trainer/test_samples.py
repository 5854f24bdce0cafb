import math

import torch

from trainer.rewards import get_reward_funcs
from trainer.samples import chosen, sample_rows
from trainer.scoring import score


def test_all_completions_are_kept_when_they_fit():
    assert chosen([3.0, 1.0, 2.0], limit=3, seed=0) == [0, 1, 2]


def test_of_many_the_best_and_the_worst_are_kept_and_a_nan_is_the_worst():
    totals = [float(number) for number in range(100)]
    totals[50] = math.nan
    kept = chosen(totals, limit=8, seed=0)
    assert len(kept) == len(set(kept)) == 8
    assert {98, 99, 50, 0} <= set(kept)


def test_a_limit_of_0_keeps_none():
    assert chosen([1.0], limit=0, seed=0) == []


def test_a_row_says_what_was_asked_answered_and_judged():
    rows = [{"prompt": "1+1=", "answer": "2"}] * 2
    scores = score(get_reward_funcs(["addition_accuracy", "constant:3"]), [1, 0.5], rows, ["2", "3"])
    found = sample_rows(
        rows,
        ["2", "3"],
        torch.tensor([2, 1]),
        torch.tensor([[1.0, 1.0], [-1.0, 0.0]]),
        scores,
        torch.tensor([True, False]),
        limit=2,
        seed=0,
        group_size=2,
    )
    assert found[0] == {
        "query": "1+1=",
        "response": "2",
        "score": 2.5,
        "rewards": {"addition_accuracy": 1.0, "constant": 3.0},
        "advantage": 1.0,
        "terminated": True,
        "length": 2,
        "group": 0,
    }
    assert (found[1]["score"], found[1]["advantage"], found[1]["terminated"]) == (1.5, -1.0, False)
