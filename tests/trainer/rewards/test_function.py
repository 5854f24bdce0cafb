"""Calls of a reward function: its arguments, and the errors for what it returns or raises."""

import asyncio
import math
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from trainer.rewards import RewardError, RewardFunc
from trainer.rewards.demo import addition_accuracy

TALK = [{"role": "user", "content": "1+1?"}]
REPLY = [{"role": "assistant", "content": "2"}]


def test_an_exception_names_the_function_and_the_first_prompt_that_caused_it() -> None:
    def picky(prompts: list[str], completions: list[str]) -> list[float]:
        return [1 / len(completion) for completion in completions]

    message = r"reward function picky raised ZeroDivisionError: division by zero \(prompt 'second'\)"
    with pytest.raises(RewardError, match=message):
        RewardFunc("picky", picky)(["first", "second", "third"], ["a", "", ""])


def test_an_exception_that_no_single_row_causes_names_the_first_prompt() -> None:
    def unique(prompts: list[str], completions: list[str]) -> list[float]:
        if len(completions) > 1:
            raise RuntimeError("more than one")
        return [1.0]

    with pytest.raises(RewardError, match=r"raised RuntimeError: more than one \(prompt 'first'\)"):
        RewardFunc("unique", unique)(["first", "second"], ["a", "b"])


def test_a_missing_column_is_named() -> None:
    with pytest.raises(RewardError, match=r"addition_accuracy needs the column answer, .*\(columns: hint\)"):
        RewardFunc("addition_accuracy", addition_accuracy)(["1+1="], ["2"], hint=["two"])


def test_a_long_prompt_is_cut_in_the_message() -> None:
    def failing(prompts: list[str], completions: list[str]) -> list[float]:
        raise RuntimeError("no")

    with pytest.raises(RewardError) as caught:
        RewardFunc("failing", failing)(["word " * 1000], ["x"])

    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([1.0], "returned 1 rewards for 2 completions"),
        (1.0, "returned float where a list with one number per completion is expected"),
        (None, "returned NoneType where a list"),
        ("ab", "returned str where a list"),
        ({"first": 1, "second": 2}, "returned dict where a list"),
        ({1.0, 2.0}, "returned set where a list"),
        (iter([1.0, 2.0]), "returned list_iterator where a list"),
        (np.array(1.0), "returned ndarray where a list"),
        ([1.0, b"1"], "returned b'1' where a number or None is expected"),
        ([1.0, "0.5"], r"returned '0\.5' where a number or None is expected \(prompt 'second'\)"),
        ([1.0, [0.5]], r"returned \[0\.5\] where a number or None is expected \(prompt 'second'\)"),
    ],
)
def test_a_wrong_return_value_is_described(returned: object, message: str) -> None:
    def odd(prompts: list[str], completions: list[str]) -> object:
        return returned

    with pytest.raises(RewardError, match=f"reward function odd {message}"):
        RewardFunc("odd", odd)(["first", "second"], ["a", "b"])  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "returned", [(1, 2), np.array([1.0, 2.0]), torch.tensor([1.0, 2.0])], ids=lambda r: type(r).__name__
)
def test_a_tuple_an_array_and_a_tensor_serve_as_well_as_a_list(returned: object) -> None:
    def rewards(prompts: list[str], completions: list[str]) -> object:
        return returned

    assert RewardFunc("rewards", rewards)(["a", "b"], ["x", "y"]) == [1.0, 2.0]  # type: ignore[arg-type]


def test_any_kind_of_number_is_taken_and_none_and_nan_pass_through() -> None:
    def numbers(prompts: list[str], completions: list[str]) -> list[object]:
        return [True, 2, np.float32(0.5), torch.tensor(0.25), None, math.inf, math.nan]

    *finite, nothing, infinite, not_a_number = RewardFunc("numbers", numbers)(["p"] * 7, ["c"] * 7)  # type: ignore[arg-type]

    assert finite == [1.0, 2.0, 0.5, 0.25]
    assert nothing is None
    assert infinite == math.inf
    assert not_a_number is not None
    assert math.isnan(not_a_number)


def test_a_function_gets_no_column_that_its_signature_does_not_name() -> None:
    def brief(completions: list[str], bonus: list[float] | None = None) -> list[float]:
        return [len(text) + (bonus or [0.0])[0] for text in completions]

    assert RewardFunc("brief", brief)(["a"], ["xy"], answer=["1"], bonus=[0.5]) == [2.5]
    assert RewardFunc("brief", brief)(["a"], ["xy"], answer=["1"]) == [2.0]


def test_a_function_with_keyword_arguments_gets_every_column_and_what_trl_adds() -> None:
    added = ["log_extra", "log_metric", "trainer_state"]

    def curious(**everything: object) -> list[float]:
        return [float(sorted(everything) == sorted(["answer", "completions", "prompts", *added]))]

    assert RewardFunc("curious", curious)(["a"], ["x"], answer=["1"]) == [1.0]


async def _slow_reward(completions: list[str]) -> list[float]:
    return list(await asyncio.gather(*(asyncio.sleep(0, float(len(text))) for text in completions)))


def test_an_async_function_is_awaited() -> None:
    assert RewardFunc("slow", _slow_reward)(["a", "b"], ["x", "xy"]) == [1.0, 2.0]


def test_an_async_function_is_awaited_where_an_event_loop_runs_already_as_in_a_notebook() -> None:
    async def cell_of_a_notebook() -> list[float | None]:
        return RewardFunc("slow", _slow_reward)(["a", "b"], ["x", "xy"])

    with ThreadPoolExecutor(max_workers=1) as apart:  # a browser test before this one may have left a loop running here
        assert apart.submit(asyncio.run, cell_of_a_notebook()).result() == [1.0, 2.0]


def test_an_async_function_keeps_its_event_loop_from_call_to_call() -> None:
    loops = []

    async def remembering(completions: list[str]) -> list[float]:
        loops.append(asyncio.get_running_loop())
        return [0.0] * len(completions)

    function = RewardFunc("remembering", remembering)
    for _ in range(2):
        function(["a"], ["x"])
    assert loops[0] is loops[1]
    assert loops[0].is_running()


def test_what_an_async_function_raises_is_said_with_its_prompt() -> None:
    async def failing(completions: list[str]) -> list[float]:
        await asyncio.sleep(0)
        raise OSError("no route")

    with pytest.raises(RewardError, match=r"raised OSError: no route \(prompt 'a'\)"):
        RewardFunc("failing", failing)(["a"], ["x"])


def test_conversations_reach_a_function_as_messages_or_as_text() -> None:
    def seen(prompts: list[object], completions: list[object]) -> list[float]:
        return [float((prompts[0], completions[0]) == (TALK, REPLY))]

    assert RewardFunc("seen", seen)([TALK], [REPLY]) == [1.0]

    def read(prompts: list[str], completions: list[str]) -> list[float]:
        return [float((prompts[0], completions[0]) == ("1+1?", "2"))]

    assert RewardFunc("read", read, takes_messages=False)([TALK], [REPLY]) == [1.0]


def test_an_exit_within_a_function_is_an_error_and_no_end() -> None:
    def leaving(completions: list[str]) -> list[float]:
        sys.exit(0)

    with pytest.raises(RewardError, match=r"leaving raised SystemExit: 0 \(prompt 'a'\)"):
        RewardFunc("leaving", leaving)(["a"], ["x"])


def test_an_exit_within_an_async_function_is_an_error_and_the_next_call_works() -> None:
    async def leaving(completions: list[str]) -> list[float]:
        sys.exit(0)

    with pytest.raises(RewardError, match=r"leaving raised SystemExit: 0 \(prompt 'a'\)"):
        RewardFunc("leaving", leaving)(["a"], ["x"])
    assert RewardFunc("slow", _slow_reward)(["a"], ["x"]) == [1.0]


def test_a_keyboard_interrupt_passes() -> None:
    def interrupted(completions: list[str]) -> list[float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        RewardFunc("interrupted", interrupted)(["a"], ["x"])


def test_a_wrong_count_names_the_prompt_that_caused_it() -> None:
    def dropping(completions: list[str]) -> list[float]:
        return [1.0 for text in completions if text]

    with pytest.raises(RewardError, match=r"returned 2 rewards for 3 completions \(prompt 'second'\)"):
        RewardFunc("dropping", dropping)(["first", "second", "third"], ["x", "", "y"])


def test_a_nan_is_told_once_with_its_prompt_and_stays_a_nan(capsys: pytest.CaptureFixture[str]) -> None:
    def broken_scale(completions: list[str]) -> list[float]:
        return [math.nan if not text else 1.0 for text in completions]

    function = RewardFunc("broken_scale", broken_scale)
    for _ in range(2):
        rewards = function(["first", "second"], ["x", ""])
        assert rewards[1] is not None
        assert math.isnan(rewards[1])
    printed = capsys.readouterr().err
    assert printed.count("rlvitals: reward function broken_scale returned NaN (prompt 'second')") == 1
    assert printed.count("\n") == 1


def test_an_infinite_reward_is_told_with_its_prompt_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    rewards = RewardFunc("unbounded", lambda completions: [1.0, -math.inf])(["first", "second"], ["x", ""])
    assert rewards == [1.0, -math.inf]
    assert "rlvitals: reward function unbounded returned -inf (prompt 'second')" in capsys.readouterr().err
