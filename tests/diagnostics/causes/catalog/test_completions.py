"""Tests of causes in the answers: their length, their end, and their variety."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from diagnostics.causes import ranked_causes
from diagnostics.model.run import Run
from diagnostics.rules import evaluate
from tests.diagnostics.causes.explained import causes, diagnosed

MakeRun = Callable[..., Run]
ENDING = {"length_min": "3x10 26x12", "length_max": "21x10 26x12", "length_mean": "9x10 26x12"}


def test_completions_truncated_from_the_start_need_a_longer_limit(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.98x20", config={"max_completion_length": 8})
    (cause,) = diagnosed(run)
    assert (cause.cause, set(cause.outcomes)) == (
        "completion-limit-too-short",
        {"truncation-high", "eos-never-generated"},
    )
    assert [(fix.parameter, fix.suggested) for fix in cause.fixes] == [("max_completion_length", 24)]


def test_completions_that_grow_into_the_limit_are_paid_for_length(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", truncated_fraction="0.05x10 0.98x20")) == ["length-bias"]


@pytest.mark.parametrize(
    ("length", "cause"), [("507x30", "completion-limit-too-short"), ("100x10 100..507x10 507x10", "length-bias")]
)
def test_answers_at_the_limit_without_a_logged_share_are_judged_by_when_they_got_there(
    make_run: MakeRun, length: str, cause: str
) -> None:
    assert causes(make_run("grpo", length_mean=length, config={"max_completion_length": 512})) == [cause]


@pytest.mark.parametrize(("length", "is_decided"), [("512x40", False), ("511x4 512x36", True)])
def test_where_every_answer_is_as_long_as_the_limit_it_is_not_decided_why(
    make_run: MakeRun, length: str, *, is_decided: bool
) -> None:
    (cause,) = diagnosed(make_run("ppo", length_mean=length, config={"response_length": 512}))
    assert (cause.cause, cause.is_decided) == ("completion-limit-too-short", is_decided)


def test_where_ppo_never_sees_an_end_token_the_limit_comes_first_and_is_not_decided(make_run: MakeRun) -> None:
    (cause,) = diagnosed(make_run("ppo", eos_tokens="0x20"))
    assert (cause.cause, cause.is_decided) == ("completion-limit-too-short", False)
    assert [rival.cause for rival in cause.rivals] == ["never-learned-to-stop", "wrong-stop-token"]


def test_no_end_token_where_ppo_stops_at_none_is_a_model_that_never_learned_to_stop(make_run: MakeRun) -> None:
    assert causes(make_run("ppo", eos_tokens="0x20", config={"stop_token": None})) == ["never-learned-to-stop"]


def test_a_few_completions_that_always_end_show_that_the_limit_truncates_the_others(make_run: MakeRun) -> None:
    batch = {"local_batch_size": 64, "response_length": 3}
    assert causes(make_run("ppo", eos_tokens="4x20", config=batch)) == ["completion-limit-too-short"]
    assert causes(make_run("ppo", eos_tokens="60x10 4x20", config=batch)) == ["length-bias"]


@pytest.mark.parametrize(("fewest", "cause"), [(26, "sampling-unlike-policy"), (12, "completion-limit-too-short")])
def test_completions_that_may_not_end_are_not_the_limits_fault(make_run: MakeRun, fewest: int, cause: str) -> None:
    run = make_run("grpo", truncated_fraction="1x20", config={"max_completion_length": 26, "min_new_tokens": fewest})
    assert causes(run) == [cause]


@pytest.mark.parametrize(
    ("cut", "shortest", "limit", "cause"),
    [
        ("0.97x20", "42x20", 42, "sampling-unlike-policy"),
        ("0.97x20", "42x19 17", 42, "completion-limit-too-short"),
        ("1x16 0.97x4", "42x20", 42, "completion-limit-too-short"),  # too few that end: it may be chance
        ("0.7x20", "42x20", 42, "completion-limit-too-short"),  # many answers fit to the token
        ("0.97x20", "3x20", 3, "completion-limit-too-short"),
    ],
)
def test_completions_that_end_at_the_very_limit_alone_may_not_end_before(
    make_run: MakeRun, cut: str, shortest: str, limit: int, cause: str
) -> None:
    run = make_run("grpo", truncated_fraction=cut, length_min=shortest, length_max=f"{limit}x20")
    assert causes(run) == [cause]


def test_completions_that_miss_a_custom_stop_token_need_the_models_own(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", truncated_fraction="1x20", config={"stop_token_id": 2})) == ["wrong-stop-token"]


@pytest.mark.parametrize(("token", "cause"), [(None, "never-learned-to-stop"), ("eos", "wrong-stop-token")])
def test_more_end_tokens_than_completions_mean_that_none_is_recognised(
    make_run: MakeRun, token: str | None, cause: str
) -> None:
    config = {"local_batch_size": 64, "stop_token": token, "response_length": 14}
    assert causes(make_run("ppo", eos_tokens="140x20", config=config)) == [cause]
    assert causes(make_run("ppo", eos_tokens="140x20", truncated_fraction="1x20", config=config)) == [cause]


def test_truncated_completions_explain_a_reward_that_never_moved(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.99x40", reward="0x40", reward_std="0x40", zero_std_fraction="1x40")
    assert causes(run)[0] == "completion-limit-too-short"


def test_an_unrecognised_end_token_is_not_a_short_limit(make_run: MakeRun) -> None:
    run = make_run("grpo", config={"max_completion_length": 99}, truncated_fraction="0.97x20", length_max="60x20")
    (cause,) = diagnosed(run)
    assert cause.cause == "wrong-stop-token"
    assert [rival.cause for rival in cause.rivals] == []


@pytest.mark.parametrize(("cut", "is_decided"), [("1x20", False), ("0.98x20", True)])
def test_where_no_completion_ever_ends_it_is_not_decided_why(make_run: MakeRun, cut: str, *, is_decided: bool) -> None:
    (cause,) = diagnosed(make_run("grpo", truncated_fraction=cut, config={"max_completion_length": 8}))
    assert (cause.cause, cause.is_decided) == ("completion-limit-too-short", is_decided)
    open_rivals = ["never-learned-to-stop", "wrong-stop-token"]
    assert [rival.cause for rival in cause.rivals if rival.is_open] == ([] if is_decided else open_rivals)


@pytest.mark.parametrize(
    ("cut", "expected"),
    [("0.4x40", ["difficulty-mismatch", "completion-limit-too-short"]), ("0.9x40", ["completion-limit-too-short"])],
)
def test_a_few_answers_that_are_cut_off_do_not_make_whole_groups_equal(
    make_run: MakeRun, cut: str, expected: list[str]
) -> None:
    dead = {"zero_std_fraction": "1x40", "reward": "0 -0.1 0x38", "entropy_per_token": "1..0.7x40"}
    assert causes(make_run("grpo", truncated_fraction=cut, **dead)) == expected


def test_answers_that_shrink_once_the_task_is_solved_are_not_too_short(make_run: MakeRun) -> None:
    solved = {"reward": "0.5..0.98x20 0.98x50", "zero_std_fraction": "0.1..0.8x20 0.9x50"}
    assert causes(make_run("grpo", length_mean="20x50 5x20", **solved)) == ["task-too-easy"]


def test_completions_that_shrink_are_too_short(make_run: MakeRun) -> None:
    assert causes(make_run("grpo", length_mean="100x30 10x20")) == ["answers-too-short"]


def test_lengths_show_a_limit_that_is_lowered_during_a_run(make_run: MakeRun) -> None:
    lengths = {"length_max": "14 13 16 14 15 13 14 16 15 14 3x15", "length_mean": "7x10 3x15"}
    run = make_run("grpo", truncated_fraction="0x10 0.9x15", config={"max_completion_length": 16}, **lengths)
    assert causes(run)[0] == "completion-limit-too-short"


def test_lengths_show_an_end_token_that_is_suppressed_during_a_run(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0x10 1x12", kl_per_token="0.01x10 0.1x12", **ENDING)
    first = diagnosed(run)[0]
    assert first.cause == "sampling-unlike-policy"
    assert "wrong-stop-token" in [rival.cause for rival in first.rivals]


def test_the_few_completions_that_still_end_show_a_stop_token_changed_during_a_run(make_run: MakeRun) -> None:
    lengths = {**ENDING, "length_min": "3x10 19 12 9 26 9 19 6 24 26 20 14 12", "length_mean": "9x10 25.8x12"}
    assert causes(make_run("grpo", truncated_fraction="0x10 0.96x12", **lengths))[0] == "wrong-stop-token"


def test_completions_that_grow_step_by_step_are_still_paid_for_length(make_run: MakeRun) -> None:
    lengths = {"length_min": "3x10 3..14x20", "length_max": "14x30", "length_mean": "7x10 7..14x20"}
    assert causes(make_run("grpo", truncated_fraction="0x10 0..1x20", **lengths))[0] == "length-bias"


def test_completions_that_shrink_for_reward_need_a_penalty_that_outweighs_it(make_run: MakeRun) -> None:
    lengths = {"length_mean": "10x5 10..2x20 2x15", "kl_per_sequence": "0x5 0..6x20 6x15"}
    config = {"kl_coef": 0.05}
    paid = ranked_causes(run := make_run("ppo", config=config, score="0x5 0..6x20 6x15", **lengths), evaluate(run))[0]
    assert [fix.suggested for fix in paid.fixes if fix.parameter == "kl_coef"] == [pytest.approx(1.0, abs=0.2)]
    unpaid = ranked_causes(run := make_run("ppo", config=config, score="0..0.01x40", **lengths), evaluate(run))[0]
    assert (paid.cause, unpaid.cause) == ("answers-too-short", "answers-too-short")
    assert "kl_coef" not in {fix.parameter for fix in unpaid.fixes}


def test_cut_off_answers_that_earn_full_marks_lack_their_end_and_no_room(make_run: MakeRun) -> None:
    logged = {"truncated_fraction": "0.98x40", "config": {"max_completion_length": 14}}
    assert causes(make_run("grpo", reward="0.4..0.95x40", **logged)) == ["wrong-stop-token"]
    assert causes(make_run("grpo", reward="0.4..0.6x40", **logged)) == ["completion-limit-too-short"]
    fewer = {**logged, "truncated_fraction": "0.9x40"}
    assert causes(make_run("grpo", reward="0.4..0.95x40", **fewer)) == ["completion-limit-too-short"]


WHOLE = {"truncated_fraction": "1x40", "reward": "0.2..0.5x40", "reward_std": "0.4..0.5x40"}


@pytest.mark.parametrize(
    ("other", "first"),
    [
        ({}, "wrong-stop-token"),
        ({"reward": "0.09x40", "reward_std": "0.28x40"}, "completion-limit-too-short"),  # too few earn it
        ({"reward_std": "0.1x40"}, "completion-limit-too-short"),  # a part of the marks may be earned in time
        ({"truncated_fraction": "0.97x40"}, "completion-limit-too-short"),  # some end
    ],
)
def test_answers_that_earn_full_marks_though_none_has_ever_ended_lack_their_end_and_no_room(
    make_run: MakeRun, other: dict[str, str], first: str
) -> None:
    cause = diagnosed(make_run("grpo", **WHOLE | other, config={"max_completion_length": 8}))[0]
    assert (cause.cause, cause.is_decided) == (first, "truncated_fraction" in other)


def test_of_rows_of_five_steps_the_first_shows_how_answers_ended_at_the_start(make_run: MakeRun) -> None:
    run = make_run("grpo", truncated_fraction="0.1 0.4 0.75 0.9x10", length_mean="7 9 10x11")
    apart = {name: replace(item, steps=5 * item.steps) for name, item in run.series.items()}
    assert causes(replace(run, series=apart)) == ["length-bias"]


@pytest.mark.parametrize(("reward", "first"), [("1..5x60", "length-bias"), ("5..1x60", "noise-blow-up")])
def test_noise_that_is_paid_for_its_length_is_the_lengths(make_run: MakeRun, reward: str, first: str) -> None:
    run = make_run("grpo", reward=reward, entropy_per_token="1x24 3x36", truncated_fraction="0.05x29 1x31")
    assert causes(run)[0] == first


def test_a_kl_that_grew_before_answers_reached_the_limit_is_an_effect_of_their_length(make_run: MakeRun) -> None:
    grows = {"kl_per_sequence": "0x10 0..60x20 60x50", "score": "0.1..0.9x80", "eos_tokens": "60x60 2x20"}
    assert causes(make_run("ppo", **grows, config={"local_batch_size": 64}))[0] == "length-bias"
    assert causes(make_run("ppo", **{**grows, "eos_tokens": "60x80"}))[0] == "kl-penalty-too-weak"


def test_entropy_over_the_few_tokens_of_answers_that_shrink_is_no_hack(make_run: MakeRun) -> None:
    shrink = {"reward": "-3..0x20 0x60", "entropy_per_token": "0.4x21 1.2x59"}
    assert causes(make_run("grpo", **shrink, length_mean="14x16 14..1x8 1x56")) == ["answers-too-short"]
    assert causes(make_run("grpo", **shrink, length_mean="14x80")) == ["reward-hacking"]


@pytest.mark.parametrize(
    ("right", "first"), [("0.5..0.7x40", "wrong-stop-token"), ("0.1x40", "completion-limit-too-short")]
)
def test_cut_off_answers_of_which_every_function_sees_what_it_pays_for_lack_their_end(
    make_run: MakeRun, right: str, first: str
) -> None:
    functions = {"reward_func_mean/right": right, "reward_func_mean/form": "0.9x40"}
    logged = {"truncated_fraction": "0.99x40", "reward": "1.4..1.6x40", "config": {"max_completion_length": 44}}
    assert causes(make_run("grpo", **logged, functions=functions))[0] == first


@pytest.mark.parametrize(
    ("length", "cause"),
    [("196 190 175 197 184 190x25 199x20", "completion-limit-too-short"), ("160x30 199x20", "length-bias")],
)
def test_answers_that_began_near_the_limit_did_not_grow_into_it(make_run: MakeRun, length: str, cause: str) -> None:
    run = make_run("grpo", length_mean=length, reward="0.2x50", config={"max_completion_length": 200})
    assert causes(run)[0] == cause


@pytest.mark.parametrize(("silent", "cause"), [("1x40", "completion-limit-too-short"), ("0.85x40", "wrong-stop-token")])
def test_a_reward_that_ignores_the_answers_does_not_say_that_cut_off_ones_are_right(
    make_run: MakeRun, silent: str, cause: str
) -> None:
    run = make_run("grpo", truncated_fraction="1x40", reward="0.88 0.9x39", zero_std_fraction=silent)
    assert causes(run)[0] == cause


@pytest.mark.parametrize(("ends", "cause"), [(30, "sampling-unlike-policy"), (6, "completion-limit-too-short")])
def test_hardly_an_answer_that_ends_at_the_limit_is_one_that_may_not_end_before(
    make_run: MakeRun, ends: int, cause: str
) -> None:
    lengths = {"length_min": "192x200", "length_max": "192x200", "length_mean": "192x200"}
    run = make_run("grpo", truncated_fraction=f"1x{200 - ends} 0.9x{ends}", **lengths)
    assert causes(run)[0] == cause
