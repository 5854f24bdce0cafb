"""Tests of trainer-bound."""

from collections.abc import Callable, Mapping

from diagnostics.model.outcome import Severity, Verdict
from diagnostics.rules import CATALOG, evaluate

BOUND: Mapping[str, str] = {
    "step_time": "10x20",
    "forward_backward_time": "9x20",
    "rollout_wait_time": "0.05x20",
    "backpressure_time": "2x20",
}


def test_nine_tenths_of_a_step_in_the_update_are_a_note(judge: Callable) -> None:
    outcome = judge("trainer-bound", "grpo", **BOUND)
    assert (outcome.verdict, outcome.severity) == (Verdict.FIRED, Severity.INFO)
    assert (outcome.measured, outcome.limit, outcome.unit) == (9.0, 9.0, "s")


def test_a_little_less_is_quiet(judge: Callable) -> None:
    assert judge("trainer-bound", "grpo", **BOUND | {"forward_backward_time": "8.9x20"}).verdict is Verdict.QUIET


def test_too_few_steps_of_it_are_quiet(judge: Callable) -> None:
    few = {
        "forward_backward_time": "5x11 9x11 5x10",
        **{name: f"{v.partition('x')[0]}x32" for name, v in BOUND.items()},
    }
    few["forward_backward_time"] = "5x11 9x9 5x12"
    assert judge("trainer-bound", "grpo", **few).verdict is Verdict.QUIET


def test_a_trainer_whose_devices_are_idle_is_a_warning(judge: Callable) -> None:
    outcome = judge("trainer-bound", "grpo", **BOUND, model_flops_utilization="0.099x20")
    assert (outcome.severity, outcome.message.template) == (Severity.WARNING, "trainer-bound.idle")
    assert judge("trainer-bound", "grpo", **BOUND, model_flops_utilization="0.1x20").severity is Severity.INFO


def test_a_trainer_that_waits_or_holds_nobody_back_is_left_alone(judge: Callable) -> None:
    for change in ({"rollout_wait_time": "0.1x20"}, {"backpressure_time": "0x20"}):
        assert judge("trainer-bound", "grpo", **BOUND | change).verdict is Verdict.QUIET


def test_samples_in_the_queue_show_it_where_backpressure_is_not_logged(judge: Callable) -> None:
    queued = {name: values for name, values in BOUND.items() if name != "backpressure_time"}
    assert judge("trainer-bound", "grpo", **queued, queue_size="476x20").verdict is Verdict.FIRED
    outcome = judge("trainer-bound", "grpo", **queued)
    assert (outcome.verdict, outcome.message.template) == (Verdict.SKIPPED, "missing.metrics")


def test_steps_too_short_to_matter_are_not_judged(judge: Callable) -> None:
    short = {name: f"{float(value.partition('x')[0]) / 11}x20" for name, value in BOUND.items()}
    outcome = judge("trainer-bound", "grpo", **short)
    assert (outcome.verdict, outcome.applies) == (Verdict.SKIPPED, False)


def test_a_run_that_takes_turns_is_not_asked(make_run: Callable) -> None:
    run = make_run("grpo", step_time="10x20", update_time="9x20")
    assert "trainer-bound" not in {outcome.rule for outcome in evaluate(run)}
    assert "trainer-bound" in {rule.name for rule in CATALOG}
