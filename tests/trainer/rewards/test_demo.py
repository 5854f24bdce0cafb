"""The rewards of the demo tasks in closed cases."""

from trainer.rewards import RewardFunc, get_reward_funcs


def reward(name: str) -> RewardFunc:
    (func,) = get_reward_funcs([name])
    return func


def test_accuracy_is_judged_after_the_scratchpad() -> None:
    completions = ["122", "(9+3=12 5+6+1=12)122", "(9+3=12 5+6+1=12)112", "(9+3=12", ""]

    rewards = reward("addition_accuracy")(["59+63="] * 5, completions, answer=["122"] * 5)

    assert rewards == [1.0, 1.0, 0.0, 0.0, 0.0]


def test_an_answer_may_be_a_number_in_the_dataset() -> None:
    assert reward("addition_accuracy")(["59+63="], ["122"], answer=[122]) == [1.0]


def test_format_rewards_a_well_formed_scratchpad_whatever_its_answer() -> None:
    rewards = reward("addition_format")(["59+63="] * 3, ["(9+3=12 5+6+1=12)7", "122", "(9+3)122"], answer=["122"] * 3)

    assert rewards == [1.0, 0.0, 0.0]


def test_positivity_orders_remarks_as_a_reader_would() -> None:
    worst, nothing, best = reward("remark_positivity")(
        ["it is"] * 3, ["the worst, awful!", "", "a wonderful, great film."]
    )

    assert worst is not None
    assert best is not None
    assert nothing == 0.5
    assert 0 < worst < 0.2
    assert 0.8 < best < 1


def test_positivity_counts_a_word_once_and_the_prompt_never() -> None:
    once, often, prompted = reward("remark_positivity")(["", "", "wonderful"], ["great", "Great great GREAT!", "great"])

    assert once == often == prompted
