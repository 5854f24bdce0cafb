"""Tests of the lists of logged keys: every key of a producer is known, nearly all of a default run's are mapped."""

from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

from diagnostics.assemble.assembler import assemble
from diagnostics.judge import judge
from diagnostics.model.outcome import Verdict
from diagnostics.model.recording import Recording, Source
from diagnostics.model.run import Run
from diagnostics.model.series import RawSeries
from diagnostics.model.vocabulary import EVAL_PREFIX, PER_FUNCTION
from diagnostics.producers.key_lists import (
    LISTED,
    LoggedKeys,
    ignored_patterns,
    is_ignored,
    key_lists,
    spelled_out,
)
from diagnostics.producers.transport import trainers_name
from diagnostics.rules.rule import alternatives
from diagnostics.rules.run.catalog import RUN_RULES

LOGS = [log for producer in LISTED for log in key_lists(producer)]
LEAST_MAPPED = 0.95


def run(tags: tuple[str, ...]) -> Run:
    steps, path = np.array([1, 2]), Path("log")
    series = {tag: RawSeries(tag, steps, np.full(2, 0.5)) for tag in tags}
    return assemble(Recording(path, (Source("wandb", path),), "id", "log", series), observed_at=0.0)


def keys_of(log: LoggedKeys) -> tuple[str, ...]:
    return log.mapped + log.ignored + log.unknown


@pytest.mark.parametrize("log", LOGS, ids=lambda log: f"{log.producer}: {log.title}")
def test_every_key_is_mapped_or_left_out_with_a_reason(log: LoggedKeys) -> None:
    assert log.unknown == ()


@pytest.mark.parametrize("log", [log for log in LOGS if log.is_default], ids=lambda log: f"{log.producer}: {log.title}")
def test_nearly_all_keys_of_a_default_run_are_mapped(log: LoggedKeys) -> None:
    assert log.mapped_share >= LEAST_MAPPED


@pytest.mark.parametrize("producer", LISTED)
def test_every_reason_is_about_some_key_that_is_not_mapped(producer: str) -> None:
    tags = {trainers_name(key) for log in key_lists(producer) for key in log.ignored}
    needless = {pattern for pattern in ignored_patterns(producer) if not _matches_any(pattern, tags)}
    assert needless <= OF_LOGS


OF_LOGS = {"profiling/*", "val-core/*", "val-aux/*"}
"""Patterns of tags that no list names: of each call of a function, and of validation sets."""


def _matches_any(pattern: str, tags: set[str]) -> bool:
    return any(fnmatchcase(tag, pattern) for tag in tags)


@pytest.mark.parametrize("log", [log for log in LOGS if log.is_default], ids=lambda log: f"{log.producer}: {log.title}")
def test_a_row_with_every_key_is_recognised_and_holds_no_riddle(log: LoggedKeys) -> None:
    found = run(keys_of(log))

    assert log.producer == found.producer
    assert found.data_health.understood_tags == found.data_health.unmapped_tags


def test_an_asynchronous_row_of_trl_is_told_from_its_other_trainers() -> None:
    (log,) = (log for log in LOGS if log.title == "AsyncGRPOTrainer")
    found = run(keys_of(log))

    assert (found.producer, found.algorithm, found.notes) == ("trl", "grpo", ())
    assert found.series["engine_kl"].tag == "kl"
    assert "kl_per_token" not in found.series


def test_what_an_asynchronous_run_of_verl_calls_generating_is_its_waiting() -> None:
    tags = ("critic/score/mean", "actor/ppo_kl", "timing_s/gen")

    assert run(tags).series["generation_time"].tag == "timing_s/gen"
    assert run((*tags, "fully_async/trainer/idle_ratio")).series["rollout_wait_time"].tag == "timing_s/gen"


def test_the_dialect_that_takes_over_grpos_names_is_an_asynchronous_log_too() -> None:
    """From 1.18 on."""
    found = run(("reward", "reward_std", "step_time", "num_tokens", "kl", "sample/staleness_mean"))

    assert (found.producer, found.algorithm) == ("trl", "grpo")
    assert {"step_time", "tokens", "staleness_mean", "engine_kl"} <= set(found.series)


def test_a_step_of_trl_before_115_is_less_than_an_iteration() -> None:
    found = run(
        ("reward", "reward_std", "step_time", "iteration_time_s", "weight_sync_time_s", "scoring_time_ms")
    ).series

    assert found["step_time"].tag == "iteration_time_s"
    assert found["forward_backward_time"].tag == "step_time"
    assert found["reward_time"].values.tolist() == [0.0005, 0.0005]


def test_units_are_those_of_the_vocabulary() -> None:
    prime = run(("mismatch_kl/all/mean", "perf/mfu")).series
    nemo = run(("train/token_mult_prob_error", "train/baseline_reward/pct_1")).series
    verl = run(("critic/score/mean", "actor/ppo_kl", "training/off_policy/trajectory_spans/mean")).series
    skyrl = run(("reward/avg_raw_reward", "async/keep_rate")).series
    areal = run(("ppo_actor/task_reward/avg", "ppo_actor/update/behave_approx_kl/avg")).series

    assert prime["model_flops_utilization"].values == pytest.approx([0.005, 0.005])
    assert nemo["solved_group_fraction"].values == pytest.approx([0.005, 0.005])
    assert verl["version_span_mean"].values.tolist() == [-0.5, -0.5]
    assert skyrl["dropped_fraction"].values.tolist() == [0.5, 0.5]
    assert areal["engine_kl_k1"].values.tolist() == [-0.5, -0.5]


def test_the_smallest_of_a_negated_estimate_is_its_largest() -> None:
    tags = [f"ppo_actor/update/approx_kl/{end}" for end in ("avg", "min", "max")]
    found = run(("ppo_actor/task_reward/avg", *tags)).series

    assert tags == [found[name].tag for name in ("policy_kl", "policy_kl_max", "policy_kl_min")]
    assert found["policy_kl_max"].values.tolist() == [-0.5, -0.5]


def test_zeros_and_ones_of_areal_say_whether_any_and_whether_all() -> None:
    found = run(("ppo_actor/task_reward/avg", *(f"ppo_actor/update/clip_ratio/{end}" for end in ("avg", "min", "max"))))

    assert found.tags["clip_fraction"] == "ppo_actor/update/clip_ratio/avg"
    assert (found.tags["all_clipped"], found.tags["any_clipped"]) == (
        "ppo_actor/update/clip_ratio/min",
        "ppo_actor/update/clip_ratio/max",
    )


def test_staleness_against_the_version_before_is_one_less_than_staleness() -> None:
    end = "sample_staleness_proximal_avg"
    found = run(("ppo_actor/task_reward/avg", f"ppo_actor/update/version_stats/{end}")).series

    assert found["staleness_mean"].values.tolist() == [1.5, 1.5]


ROLL = ("critic/score/mean", "system/tps_gpu")
OF_MATH = (
    "math/critic/score/mean",
    "math/critic/kl",
    "math/scheduler/math/time/reward/mean",
    "math/token/response_length/mean",
    "math/critic/error_response/advantages/max",
)


def test_what_roll_logs_of_one_of_several_domains_is_of_a_part() -> None:
    found = run((*ROLL, *OF_MATH, "code/critic/score/mean"))

    assert {series.tag: name for name, series in found.series.items() if series.tag in OF_MATH} == {
        "math/critic/score/mean": "reward_func_mean/math",
        "math/critic/kl": "part/math/kl_per_token",
        "math/scheduler/math/time/reward/mean": "part/math/rollout_reward_seconds_mean",
        "math/token/response_length/mean": "part/math/length_mean",
        "math/critic/error_response/advantages/max": "part/math/wrong/advantages_max",
    }


def test_a_name_that_a_tag_holds_twice_is_the_same_twice() -> None:
    odd = "math/scheduler/code/time/reward/mean"

    assert run((*ROLL, odd)).data_health.unmapped_tags == (odd,)


def test_what_roll_logs_of_its_only_domain_alone_is_of_the_batch() -> None:
    found = run((*ROLL, *OF_MATH))

    assert found.series["kl_per_token"].tag == "math/critic/kl"
    assert found.series["rollout_reward_seconds_mean"].tag == "math/scheduler/math/time/reward/mean"
    assert found.series["part/math/length_mean"].tag == "math/token/response_length/mean"


def test_what_roll_logs_of_the_batch_itself_is_not_taken_from_its_only_domain() -> None:
    found = run((*ROLL, *OF_MATH, "actor/kl_loss"))

    assert found.series["kl_per_token"].tag == "actor/kl_loss"
    assert found.series["part/math/kl_per_token"].tag == "math/critic/kl"


def test_roll_normalising_rewards_is_not_scoring() -> None:
    found = run((*ROLL, "math/critic/score/mean", "math/time/reward_postprocess")).series

    assert "reward_time" not in found
    assert found["reward_normalisation_time"].tag == "math/time/reward_postprocess"


def test_the_memory_of_each_device_after_each_call_is_a_metric() -> None:
    tag = "memory/reference/compute_log_probs/end/onload/max_reserved/3"
    name = "part/reference/compute_log_probs/end/onload/3/gpu_memory_reserved"

    assert run((*ROLL, tag)).series[name].tag == tag


@pytest.mark.parametrize("log", [log for log in LOGS if log.is_default], ids=lambda log: f"{log.producer}: {log.title}")
@pytest.mark.parametrize("value", [1e9, -1e9, float("nan")])
def test_a_metric_that_no_rule_reads_makes_none_fire(log: LoggedKeys, value: float) -> None:
    """Least and most of tokens, halves, parts of the data: never read as a mean of the whole."""
    tags = {series.tag: name for name, series in run(keys_of(log)).series.items()}
    strange = {tag for tag, name in tags.items() if _stem(name) not in READ}

    assert len(strange) > 0
    assert fired(tags, dict.fromkeys(strange, value)) - fired(tags, {}) == set()


READ = {name for rule in RUN_RULES for item in rule.inputs for name in alternatives(item)}
"""Every metric that a rule is about."""


def _stem(name: str) -> str:
    """The metric of a name, without the name of a reward function or that it is about held-out prompts."""
    base = name.removeprefix(EVAL_PREFIX)
    return base.split("/", 1)[0] if base.startswith(tuple(PER_FUNCTION)) else base


def fired(tags: Iterable[str], values: Mapping[str, float]) -> set[str]:
    """The rules that fire on twenty steps of these tags at 0.5, or at a value of their own."""
    steps, path = np.arange(20), Path("log")
    series = {tag: RawSeries(tag, steps, np.full(20, values.get(tag, 0.5))) for tag in tags}
    found = assemble(Recording(path, (Source("wandb", path),), "id", "log", series), observed_at=0.0)
    return {outcome.rule for outcome in judge(found, {}).outcomes if outcome.verdict is Verdict.FIRED}


def test_of_several_agents_of_prime_rl_none_is_the_reward() -> None:
    both = tuple(f"train/agg/effective/{agent}/reward/mean" for agent in ("proposer", "solver"))

    assert run(("mismatch_kl/all/mean", both[0])).series["reward"].tag == both[0].removeprefix("train/")
    assert "reward" not in run(("mismatch_kl/all/mean", *both)).series


def test_one_environment_of_prime_rl_is_a_part_of_the_data() -> None:
    found = run(("mismatch_kl/all/mean", "train/org/gsm8k/all/agent/reward/mean")).series

    assert found["part/org/gsm8k/all/reward"].metric is not None
    assert "reward" not in found


def test_a_second_name_of_a_metric_is_understood_but_not_lost() -> None:
    found = run(("critic/score/mean", "actor/ppo_kl", "timing_s/step", "perf/time_per_step", "my/own"))

    assert found.series["step_time"].tag == "timing_s/step"
    assert "verl/perf/time_per_step" in found.series
    assert found.data_health.unmapped_tags == ("my/own", "verl/perf/time_per_step")
    assert found.data_health.understood_tags == ("verl/perf/time_per_step",)


def test_a_pattern_is_spelled_out() -> None:
    assert list(spelled_out("a/{b,c}/<name>")) == ["a/b/name", "a/c/name"]


def test_a_producer_without_a_list_leaves_nothing_out() -> None:
    assert not is_ignored("unknown", "timing_per_token_ms/gen")
