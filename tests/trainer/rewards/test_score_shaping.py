import pytest
import torch

from trainer.config.algorithms import make_config
from trainer.rewards import get_reward_funcs
from trainer.rewards.call_context import TrainerState
from trainer.rewards.score_shaping import query_scores, shaping_metrics, with_eos_trick

SCORES = torch.tensor([2.0, 3.0])
START = TrainerState(0, 10)
TERMINATED = torch.tensor([True, False])


def ppo(**values):
    return make_config("ppo", values)


def test_without_the_eos_trick_a_score_stays():
    assert with_eos_trick(SCORES, TERMINATED, ppo()).tolist() == [2.0, 3.0]


def test_todays_eos_trick_takes_a_penalty_off():
    assert with_eos_trick(SCORES, TERMINATED, ppo(missing_eos_penalty=1.5)).tolist() == [2.0, 1.5]


def test_the_older_eos_trick_replaces_the_score():
    assert with_eos_trick(SCORES, TERMINATED, ppo(non_eos_penalty=True)).tolist() == [2.0, -1.0]
    config = ppo(non_eos_penalty=True, penalty_reward_value=-7)
    assert with_eos_trick(SCORES, TERMINATED, config).tolist() == [2.0, -7.0]


def test_a_replaced_score_hides_a_nan_but_only_where_the_response_did_not_end():
    nan = torch.full((2,), torch.nan)
    assert with_eos_trick(nan, TERMINATED, ppo(non_eos_penalty=True)).isnan().tolist() == [True, False]


def test_the_baseline_is_the_score_of_the_query_without_a_response(tmp_path):
    file = tmp_path / "reward.py"
    file.write_text(
        "def letters(prompts, completions, **_):\n    return [len(p + c) for p, c in zip(prompts, completions)]\n"
    )
    functions = get_reward_funcs([f"{file}:letters"])
    rows = [{"prompt": "ab"}, {"prompt": "abcd"}]
    assert query_scores(functions, ppo(reward_baseline="query"), rows, START).total_B.tolist() == [2.0, 4.0]
    assert query_scores(functions, ppo(), rows, START).total_B.tolist() == [0.0, 0.0]


def test_a_query_that_cannot_be_scored_alone_takes_nothing_off_and_says_so(tmp_path):
    file = tmp_path / "reward.py"
    file.write_text("def long(prompts, **_):\n    return [len(p) if len(p) > 2 else None for p in prompts]\n")
    rows = [{"prompt": "ab"}, {"prompt": "abcd"}]
    queries = query_scores(get_reward_funcs([f"{file}:long"]), ppo(reward_baseline="query"), rows, START)
    assert queries.total_B.tolist() == [0.0, 4.0]
    assert queries.scorable_B.tolist() == [False, True]


def test_where_nothing_has_a_score_none_is_logged():
    assert shaping_metrics(torch.zeros(0), torch.zeros(0), ppo(reward_baseline="query", score_clip=2)) == {}


def test_only_what_is_asked_for_is_logged():
    queries, scaled = torch.tensor([1.0, 2.0]), torch.tensor([0.0, 2.0])
    assert shaping_metrics(queries, scaled, ppo()) == {}
    assert shaping_metrics(queries, scaled, ppo(reward_baseline="query")) == {"objective/query_scores": 1.5}
    assert shaping_metrics(queries, scaled, ppo(score_clip=2)) == {
        "objective/scaled_scores": 1.0,
        "objective/scaled_scores_std": pytest.approx(2**0.5),
    }
