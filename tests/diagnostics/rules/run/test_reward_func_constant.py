"""Tests of reward-func-constant."""

from collections.abc import Callable
from typing import Any

from diagnostics.model.outcome import Outcome, Severity, Verdict
from diagnostics.model.run import Run
from diagnostics.rules import CATALOG

Judge = Callable[..., Outcome]


def functions(**series: str) -> dict[str, Any]:
    return {"functions": {f"reward_func_{key.replace('_', '/', 1)}": value for key, value in series.items()}}


def test_a_spread_of_zero_for_twenty_points_is_a_warning(judge: Judge) -> None:
    outcome = judge("reward-func-constant", "grpo", **functions(std_accuracy="0.4x20", std_format="0x20"))
    assert (outcome.severity, outcome.message.values["function"]) == (Severity.WARNING, "format")


def test_nineteen_points_are_not(judge: Judge) -> None:
    assert judge("reward-func-constant", "grpo", **functions(std_format="0x19 0.1")).verdict is Verdict.QUIET


def test_a_small_spread_is_a_spread(judge: Judge) -> None:
    assert judge("reward-func-constant", "grpo", **functions(std_format="0.01x40")).verdict is Verdict.QUIET


def test_when_no_function_varies_it_is_critical(judge: Judge) -> None:
    outcome = judge("reward-func-constant", "grpo", **functions(std_accuracy="0x20", mean_accuracy="0x20"))
    assert (outcome.severity, outcome.message.values["mean"]) == (Severity.CRITICAL, 0.0)


def test_full_marks_that_were_learned_are_only_noted(judge: Judge) -> None:
    learned = functions(std_accuracy="0.1 0x20", mean_accuracy="0.9 1x20")
    assert judge("reward-func-constant", "grpo", **learned).severity is Severity.INFO


def test_a_function_that_came_to_the_most_it_gives_is_satisfied(judge: Judge) -> None:
    learned = functions(std_format="0.1x20 0x20", mean_format="0.2..0.48x20 0.5x20", std_right="0.3x40")
    assert judge("reward-func-constant", "grpo", **learned).severity is Severity.INFO
    lost = functions(std_format="0.1x20 0x20", mean_format="0.2..0.7x20 0.5x20", std_right="0.3x40")
    assert judge("reward-func-constant", "grpo", **lost).severity is Severity.WARNING


def test_full_marks_for_everything_from_the_start_are_no_solved_task(judge: Judge) -> None:
    outcome = judge("reward-func-constant", "grpo", **functions(std_accuracy="0x20", mean_accuracy="1x20"))
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "reward-func-constant.full")
    beside = functions(std_format="0x20", mean_format="1x20", std_accuracy="0.1x20", mean_accuracy="0.4x20")
    assert judge("reward-func-constant", "grpo", **beside).severity is Severity.INFO
    later = functions(
        std_format="0x125", mean_format="1x125", std_accuracy="0x25 0.3x100", mean_accuracy="0x25 0.3x100"
    )
    outcome = judge("reward-func-constant", "grpo", **later)
    assert (outcome.severity, outcome.message.template) != (Severity.WARNING, "reward-func-constant.full")
    assert outcome.severity is Severity.INFO
    near = functions(std_accuracy="0x20", mean_accuracy="0.99x20")
    assert judge("reward-func-constant", "grpo", **near).severity is Severity.CRITICAL


def test_a_mean_that_never_moves_proves_it_without_a_spread(judge: Judge) -> None:
    logged = functions(mean_correct="0..0.8x60", mean_format="0x60", mean_xml="0.5x60")
    outcome = judge("reward-func-constant", "grpo", **logged)
    assert (outcome.severity, outcome.measured, outcome.metric) == (Severity.WARNING, 0.0, "reward_func_mean/format")
    assert outcome.message.values["others"] == "xml"
    moving = functions(mean_correct="0..0.8x60", mean_format="0x15 0.01 0x15")
    assert judge("reward-func-constant", "grpo", **moving).verdict is Verdict.QUIET


def test_a_function_that_was_silent_and_then_learned_is_not_called_constant(judge: Judge) -> None:
    learned = "0x150 0..3x100 3x20 2.8 3x9"  # of a public log: a sparse function, at its ceiling in most late rows
    assert judge("reward-func-constant", "grpo", **functions(mean_format=learned)).verdict is Verdict.QUIET
    woken = functions(std_format="0x60 0.3x60", std_right="0.3x120")
    assert judge("reward-func-constant", "grpo", **woken).severity is Severity.INFO


def test_a_mean_that_stopped_to_move_is_constant_from_there_on(judge: Judge) -> None:
    outcome = judge("reward-func-constant", "grpo", **functions(mean_right="0..1x60", mean_form="0.2..0.8x29 0.6x31"))
    assert (outcome.severity, outcome.first_step, outcome.measured) == (Severity.WARNING, 30, 0.6)


def test_a_mean_that_never_moves_beside_a_spread_is_chance(judge: Judge) -> None:
    logged = functions(mean_format="0.5x60", std_format="0.5x60")
    assert judge("reward-func-constant", "grpo", **logged).verdict is Verdict.QUIET


def test_a_function_that_never_applies_is_not_constant(judge: Judge) -> None:
    assert judge("reward-func-constant", "grpo", **functions(std_judge="nanx30")).verdict is Verdict.SKIPPED


def test_a_dead_function_of_ppo_is_found_where_ppo_logs_its_functions(judge: Judge) -> None:
    outcome = judge("reward-func-constant", "ppo", **functions(std_accuracy="0.4x20", std_format="0x20"))
    assert (outcome.severity, outcome.message.values["function"]) == (Severity.WARNING, "format")


def test_it_is_no_blind_spot_of_a_ppo_that_has_one_score(make_run: Callable[..., Run]) -> None:
    (rule,) = [rule for rule in CATALOG if rule.name == "reward-func-constant"]
    assert not rule.applies(make_run("ppo", score="1x20"))


def test_it_is_skipped_where_its_input_is_missing(judge: Judge) -> None:
    assert judge("reward-func-constant", "grpo", reward="1x20").verdict is Verdict.SKIPPED


def test_a_single_step_that_tells_answers_apart_ends_a_stretch(judge: Judge) -> None:
    sparse = functions(std_right="0x60 0.15 0x9 0.15 0x60", mean_right="0.3x60 0.2 0.3x9 0.2 0.3x60")
    outcome = judge("reward-func-constant", "grpo", **sparse)
    assert [(episode.first_step, episode.last_step) for episode in outcome.episodes] == [(1, 60), (72, 131)]
    begun = judge("reward-func-constant", "grpo", **functions(std_right="0x60 0.15 0x9", mean_right="0.3x70"))
    assert (begun.severity, begun.last_step) == (Severity.INFO, 60)


def test_a_function_that_is_constant_within_each_step_is_not_said_to_give_one_reward(judge: Judge) -> None:
    outcome = judge("reward-func-constant", "grpo", **functions(std_vision="0x40", mean_vision="-0.3x20 -1x20"))
    assert outcome.message.template == "reward-func-constant.unmeasured"


def test_a_function_that_tells_answers_apart_again_leaves_the_other_a_warning(judge: Judge) -> None:
    for now, severity in (("0.3x40", Severity.WARNING), ("0x40", Severity.CRITICAL)):
        logged = functions(std_format="0x90", mean_format="0x90", std_right=f"0.3x20 0x30 {now}", mean_right="0.2x90")
        assert judge("reward-func-constant", "grpo", **logged).severity is severity


def test_a_dead_function_beside_one_that_was_learned_to_the_full_is_a_warning(judge: Judge) -> None:
    for spread in ({}, {"std_format": "0x80", "std_right": "0.3x40 0x40"}):
        learned = functions(mean_format="0x80", mean_right="0.4..1.9x40 2x40", **spread)
        outcome = judge("reward-func-constant", "grpo", **learned)
        assert (outcome.severity, outcome.message.values["function"]) == (Severity.WARNING, "format")
        assert outcome.message.template == "reward-func-constant.fired_learned"
        assert (outcome.message.values["others"], outcome.message.values["since"]) == ("right", 41)


def test_it_stays_critical_where_nothing_was_learned_or_something_was_lost(judge: Judge) -> None:
    at_once = functions(mean_format="0x80", mean_right="0.4..0.9x19 1x61")
    assert judge("reward-func-constant", "grpo", **at_once).severity is Severity.CRITICAL
    full_from_the_start = functions(mean_right="0x80", mean_format="1x80")
    assert judge("reward-func-constant", "grpo", **full_from_the_start).severity is Severity.CRITICAL
    traded = functions(mean_right="0.4..0.6x40 0x40", mean_format="0.4..0.9x40 1x40", mean_cites="0x80")
    assert judge("reward-func-constant", "grpo", **traded).severity is Severity.CRITICAL


def test_a_function_that_varied_within_the_stretch_is_not_called_constant_throughout_it(judge: Judge) -> None:
    lost = functions(mean_format="0x80", mean_right="0.5..0.2x40 0x40")
    outcome = judge("reward-func-constant", "grpo", **lost)
    assert (outcome.severity, outcome.message.template) == (Severity.CRITICAL, "reward-func-constant.fired_later")
    assert (outcome.message.values["others"], outcome.message.values["since"]) == ("right", 41)
    ended = functions(std_format="0x80", mean_format="0x80", std_right="0x30 0.3x50", mean_right="0x30 0.3x50")
    assert judge("reward-func-constant", "grpo", **ended).message.template == "reward-func-constant.fired"


def test_what_never_differed_is_given_no_more_weight(judge: Judge) -> None:
    never = judge("reward-func-constant", "grpo", **functions(std_format="0x40", std_right="0.3x40"))
    assert never.remedies == ("checked-reward",)
    for differed in ("0.2x9 0x40", "0x40 0.2"):
        once = judge("reward-func-constant", "grpo", **functions(std_format=differed, std_right="0.3x49"))
        assert once.remedies == ("checked-reward", "reweighted-rewards")
