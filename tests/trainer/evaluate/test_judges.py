"""The judges that run in this process."""

import math
from pathlib import Path

import pytest

from trainer.config.options import ConfigError
from trainer.evaluate.contest import Pair, Tally, judge_pairs
from trainer.evaluate.endpoint import Endpoint, EndpointJudge
from trainer.evaluate.judges import FunctionJudge, RewardJudge, get_judge
from trainer.rewards import RewardError, RewardFunc

NOWHERE = Endpoint("http://127.0.0.1:1/v1")
SUM = {"prompt": "1+1=", "answer": "2"}


def judge(name: str, tolerance: float = 1e-6):
    return get_judge(name, tolerance, NOWHERE)


def by_length(prompts: list[str], completions: list[str], **columns: object) -> list[float | None]:
    """NaN for an empty completion, None for one that starts with a question mark."""
    return [math.nan if not c else None if c.startswith("?") else float(len(c)) for c in completions]


def test_the_higher_reward_wins_and_the_columns_reach_the_function() -> None:
    pairs = [Pair(SUM, "2", "3"), Pair(SUM, "3", "2"), Pair(SUM, "3", "4")]
    assert judge("reward:addition_accuracy").verdicts(pairs) == ["a", "b", "tie"]


def test_rewards_within_the_tolerance_are_a_tie() -> None:
    longer_by_one = [Pair(SUM, "ab", "a"), Pair(SUM, "abc", "a")]
    assert RewardJudge(RewardFunc("by_length", by_length), tolerance=1.0).verdicts(longer_by_one) == ["tie", "a"]


def test_an_answer_that_cannot_be_scored_leaves_its_pair_unjudged() -> None:
    pairs = [Pair(SUM, "", "a"), Pair(SUM, "a", "?"), Pair(SUM, "ab", "a")]
    assert judge_pairs(RewardJudge(RewardFunc("by_length", by_length), 0.0), pairs) == Tally(1, 0, 0, unjudged=2)


def test_a_reward_function_of_ones_own_judges_as_it_rewards_in_training(tmp_path: Path) -> None:
    (tmp_path / "rew.py").write_text(
        "def digits(completions, answer, **columns):\n"
        "    return [float(text == right) for text, right in zip(completions, answer)]\n"
    )
    pairs = [Pair(SUM, "2", "3"), Pair(SUM, "3", "2"), Pair(SUM, "3", "4")]
    own = judge(f"reward:{tmp_path}/rew.py:digits")
    assert isinstance(own, RewardJudge)
    assert own.verdicts(pairs) == ["a", "b", "tie"]


def test_a_reward_judge_is_not_asked_in_both_orders() -> None:
    assert not judge("reward:length").is_position_biased
    assert judge("reward:length").verdicts([]) == []


def test_a_function_of_ones_own_is_asked_with_prompt_and_answers_in_both_orders(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text(
        "def shorter(prompt, a, b):\n"
        "    assert prompt == '1+1='\n"
        "    return 'tie' if len(a) == len(b) else 'a' if len(a) < len(b) else 'b'\n"
        "def odd(prompt, a, b):\n"
        "    return 'A, I think'\n"
        "def broken(prompt, a, b):\n"
        "    return 1 / 0\n"
    )
    pairs = [Pair(SUM, "1", "22"), Pair(SUM, "333", "22"), Pair(SUM, "11", "22")]
    assert judge_pairs(judge(f"{tmp_path}/judge.py:shorter"), pairs) == Tally(wins=1, ties=1, losses=1)
    assert judge_pairs(judge(f"{tmp_path}/judge.py:odd"), pairs) == Tally(0, 0, 0, unjudged=3)
    with pytest.raises(ConfigError, match=r"judge.py:broken raised ZeroDivisionError: .* \(prompt '1\+1='\)"):
        judge_pairs(judge(f"{tmp_path}/judge.py:broken"), pairs)


def test_each_name_gives_its_kind_of_judge(tmp_path: Path) -> None:
    (tmp_path / "judge.py").write_text("def better(prompt, a, b):\n    return 'tie'\n")
    assert isinstance(judge("openai:some-model"), EndpointJudge)
    assert isinstance(judge("reward:length:5"), RewardJudge)
    assert isinstance(judge(f"{tmp_path}/judge.py:better"), FunctionJudge)


@pytest.mark.parametrize("name", ["", "length", "openai:", "reward:", "gpt"])
def test_an_unknown_judge_is_refused_with_the_forms_that_there_are(name: str) -> None:
    with pytest.raises(
        ConfigError, match=r"write reward:NAME or reward:path/to/file.py:function \(.*openai:MODEL or path"
    ):
        judge(name)


def test_an_unknown_reward_or_file_is_refused() -> None:
    with pytest.raises(RewardError, match="unknown reward function 'lenght'; did you mean 'length'"):
        judge("reward:lenght")
    with pytest.raises(RewardError, match=r"judge 'no/file.py:better': there is no file"):
        judge("no/file.py:better")
    with pytest.raises(RewardError, match=r"reward function 'no/file.py:digits': there is no file no/file.py in"):
        judge("reward:no/file.py:digits")
