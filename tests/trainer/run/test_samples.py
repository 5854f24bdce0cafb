import math

import torch

from trainer.rewards import RewardFunc, get_reward_funcs
from trainer.rewards.scoring import score
from trainer.run.samples import choose_samples, sample_rows


def test_all_completions_are_kept_when_they_fit():
    assert choose_samples([3.0, 1.0, 2.0], limit=3, seed=0) == [0, 1, 2]


def test_of_many_the_best_and_the_worst_are_kept_and_a_nan_is_the_worst():
    totals = [float(number) for number in range(100)]
    totals[50] = math.nan
    kept = choose_samples(totals, limit=8, seed=0)
    assert len(kept) == len(set(kept)) == 8
    assert {98, 99, 50, 0} <= set(kept)


def test_what_has_no_score_says_so_and_is_a_worst():
    rows = [{"prompt": "1+1="}] * 3
    only_short = RewardFunc("only_short", lambda completions: [None if len(text) > 1 else 0.0 for text in completions])
    scores = score([only_short], [2.0], rows, ["2", "22", "3"])
    lengths, found = torch.ones(3, dtype=torch.long), torch.zeros(3, 1)
    kept = sample_rows(rows, ["2", "22", "3"], lengths, found, scores, lengths == 1, limit=3, seed=0, group_size=3)
    assert [(row["score"], row["rewards"]) for row in kept] == [
        (0, {"only_short": 0}),
        (None, {}),
        (0, {"only_short": 0}),
    ]
    assert 1 in choose_samples([0.0, None, 1.0, 0.5], limit=2, seed=0)


def test_a_limit_of_0_keeps_none():
    assert choose_samples([1.0], limit=0, seed=0) == []


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
