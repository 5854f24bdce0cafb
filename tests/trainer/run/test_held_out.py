"""The held-out prompts: answered by a demo task's real model, and real trainings that they must not change."""

import pytest
import torch

from diagnostics.api import open_run
from tests.trainer.clocks import CLOCKS
from trainer.config.algorithms import make_config
from trainer.data.prompts import load_prompts
from trainer.rewards import get_reward_funcs
from trainer.rollout.models import checkpoint_of, load_policy, load_tokenizer
from trainer.rollout.policy import stop_ids
from trainer.rollout.sampling import Sampling
from trainer.run.group_metrics import answer_metrics
from trainer.run.held_out import FOLLOWED_PROMPTS, HeldOut, evenly_spaced, for_evaluation

TINY = {"max_steps": 9, "max_completion_length": 26, "use_cpu": True}


def held_out(reward_funcs=("addition_accuracy",), **values):
    """The held-out prompts of a GRPO training on addition, and the policy that it starts from."""
    config = make_config("grpo", {**TINY, **values})
    tokenizer, policy = load_tokenizer(checkpoint_of(config)), load_policy(checkpoint_of(config))
    sampling = Sampling.of(config, stop_ids(policy, tokenizer), int(tokenizer.pad_token_id))
    prompts, functions = load_prompts(config), get_reward_funcs(reward_funcs)
    return HeldOut(config, prompts, functions, tokenizer, sampling, answer_metrics), policy


def followed_and_others(samples):
    """Responses of the followed prompts, and of the others."""
    followed = [row["response"] for row in samples if row.get("followed")]
    return followed, [row["response"] for row in samples if not row.get("followed")]


@pytest.mark.parametrize(
    ("total", "count", "steps"),
    [(100, 0, []), (100, 1, [100]), (100, 2, [1, 100]), (9, 3, [1, 5, 9]), (3, 10, [1, 2, 3]), (1, 10, [1])],
)
def test_the_followed_steps_are_evenly_spread_from_the_first_to_the_last(total, count, steps):
    assert sorted(evenly_spaced(total, count)) == steps


def test_prompts_are_answered_at_their_own_temperature_greedily_or_as_in_training():
    training = Sampling(max_new_tokens=4, eos_ids=(), pad_id=0, temperature=0.7, rollout_temperature=2.0, top_k=5)
    assert for_evaluation(training, None) == training
    assert for_evaluation(training, 0.0).do_sample is False
    assert for_evaluation(training, 0.3).drawn_temperature == 0.3


def test_nothing_is_due_between_the_steps():
    held, policy = held_out(eval_strategy="steps", eval_steps=4, num_sample_generations=2)
    due = [step for step in range(1, 10) if held.answer_after(step, policy).samples]
    assert due == [1, 4, 8, 9]
    assert [step for step in range(1, 10) if held.is_due(step)] == due


def test_an_evaluation_has_trls_names_under_eval():
    held, policy = held_out(eval_strategy="steps", eval_steps=4, num_sample_generations=0, num_eval_prompts=20)
    found = held.answer_after(4, policy)
    assert {
        "eval/reward",
        "eval/reward_std",
        "eval/rewards/addition_accuracy/mean",
        "eval/completions/mean_length",
    } <= set(found.metrics)
    assert found.metrics["eval/reward"] == pytest.approx(sum(row["score"] for row in found.samples) / 20)
    assert {row["split"] for row in found.samples} == {"eval"}
    assert followed_and_others(found.samples)[0] == []


def test_each_time_the_same_prompts_are_answered_with_the_same_random_numbers():
    held, policy = held_out(eval_strategy="steps", eval_steps=4)
    first, second = held.answer_after(4, policy), held.answer_after(8, policy)
    assert first.metrics == second.metrics
    assert [row["response"] for row in first.samples] == [row["response"] for row in second.samples]


def test_what_a_followed_prompt_gets_does_not_depend_on_who_else_is_answered():
    held, policy = held_out(eval_strategy="steps", eval_steps=9, num_sample_generations=2, num_eval_prompts=30)
    alone, together = (
        followed_and_others(held.answer_after(1, policy).samples),
        followed_and_others(held.answer_after(9, policy).samples),
    )
    assert len(alone[0]) == FOLLOWED_PROMPTS
    assert alone == (together[0], [])
    assert len(together[1]) == 30 - FOLLOWED_PROMPTS


def test_the_size_of_the_passes_changes_no_answer():
    values = {"eval_strategy": "steps", "num_eval_prompts": 20, "num_generations": 4}
    whole, policy = held_out(**values)
    parts, _ = held_out(**values, per_device_train_batch_size=8)
    assert whole.answer_after(9, policy).metrics == pytest.approx(parts.answer_after(9, policy).metrics)


def test_a_greedy_evaluation_draws_nothing():
    held, policy = held_out(eval_strategy="steps", eval_temperature=0, num_completions_to_log=64)
    other, _ = held_out(eval_strategy="steps", eval_temperature=0, num_completions_to_log=64, top_k=3)
    responses = [[row["response"] for row in item.answer_after(9, policy).samples] for item in (held, other)]
    assert responses[0] == responses[1]


def test_the_training_goes_on_as_if_nobody_had_asked():
    held, policy = held_out(reward_funcs=("random:3",), eval_strategy="steps")
    state = torch.random.get_rng_state()
    first, second = held.answer_after(9, policy), held.answer_after(9, policy)
    assert first.metrics["eval/reward"] == second.metrics["eval/reward"]
    assert torch.equal(torch.random.get_rng_state(), state)


def test_of_a_dataset_without_held_out_prompts_the_first_of_training_are_followed(tmp_path):
    (tmp_path / "sums.jsonl").write_text('{"prompt": "12+34=", "answer": 46}\n')
    held, policy = held_out(dataset=str(tmp_path / "sums.jsonl"))
    (row,) = held.answer_after(9, policy).samples
    assert (row["query"], row["split"], row["followed"]) == ("12+34=", "train", True)


SMALL = ("--per_device_train_batch_size", "16", "--report_to", "none", "--max_steps", "3", "--save_strategy", "no")
ON = ("--eval_strategy", "steps", "--eval_steps", "1", "--num_eval_prompts", "12", "--histogram_steps", "1")
OFF = ("--num_sample_generations", "0", "--histogram_steps", "0")
CALL_COUNTING = ("--reward_funcs", "random:7")


def training_metrics(run):
    """The metrics of each step but the times and those of evaluations."""
    left_out = (*CLOCKS, "eval/")
    return [
        {name: value for name, value in line["metrics"].items() if not name.startswith(left_out)} for line in run.lines
    ]


@pytest.mark.process
@pytest.mark.parametrize("algorithm", ["ppo", "grpo"])
def test_a_training_is_the_same_with_and_without_evaluation_histograms_and_followed_prompts(training, algorithm):
    with_all, without = training("on"), training("off")
    assert with_all.train(algorithm, *SMALL, *CALL_COUNTING, *ON)[0] == 0
    assert without.train(algorithm, *SMALL, *CALL_COUNTING, *OFF)[0] == 0

    assert training_metrics(with_all) == training_metrics(without)

    run = open_run(with_all.directory)
    assert run.data_health.unmapped_tags == ()
    assert run.samples.followed_steps == (1, 2, 3)
    assert {"reward_distribution", "ratio_distribution", "length_distribution"} <= set(run.histograms)
    assert "eval/score" in run.series or "eval/reward" in run.series
    assert not open_run(without.directory).histograms
