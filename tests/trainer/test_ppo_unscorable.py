"""In PPO, a completion that no reward function can score gets no score, counts nowhere, and teaches nothing."""

import json
import math

import pytest
import torch
from safetensors.torch import load_file

from tests.trainer.clocks import CLOCKS
from trainer.algorithms.experience import PPOExperience, Tokens
from trainer.config.algorithms import make_config
from trainer.ppo import ppo_loss
from trainer.rollout.policy import TokenScores
from trainer.tasks import get_task

pytestmark = pytest.mark.process

REWARDS = """
def one_or_none(completions, **_):
    return [None if index % 2 else 1.0 for index in range(len(completions))]

def letters_or_none(completions, **_):
    return [None if index % 2 else float(len(text)) for index, text in enumerate(completions)]

def nothing(completions, **_):
    return [None] * len(completions)
"""
OPTIONS = {
    "task": "remarks",
    "max_steps": 2,
    "response_length": 6,
    "num_ppo_epochs": 2,
    "num_mini_batches": 2,
    "weight_decay": 0,
    "learning_rate": 1e-5,
    "lr_scheduler_type": "constant",
    "warmup_steps": 0,
    "use_cpu": True,
    "num_threads": 1,
    "report_to": "none",
    "histogram_steps": 1,
    "eval_strategy": "steps",
    "eval_steps": 1,
    "num_eval_prompts": 8,
    "num_sample_generations": 0,
    "save_strategy": "steps",
    "save_steps": 2,
}
WHOLE = {"per_device_train_batch_size": 8, "gradient_accumulation_steps": 1}
ONE_BY_ONE = {"per_device_train_batch_size": 1, "gradient_accumulation_steps": 8}
SCALED = {"use_score_scaling": True, "score_clip": 5, "whiten_rewards": True}
RUNS = {
    "one": {"reward_funcs": "one_or_none", **WHOLE, **SCALED},
    "letters": {"reward_funcs": "letters_or_none", **WHOLE},
    "letters-1x8": {"reward_funcs": "letters_or_none", **ONE_BY_ONE},
    "nothing": {"reward_funcs": "nothing", **WHOLE, **SCALED, "non_eos_penalty": True, "early_stopping": True},
}
WHERE_A_SCORE_IS = {"objective/scores", "objective/rlhf_reward", "objective/scaled_scores", "eval/objective/scores"}


@pytest.fixture(scope="module")
def runs(tmp_path_factory, training_in):
    """The trained runs, by name."""
    folder = tmp_path_factory.mktemp("unscorable")
    file = folder / "rewards.py"
    file.write_text(REWARDS, encoding="utf-8")
    found = {}
    for name, changes in RUNS.items():
        values = {**OPTIONS, **changes, "reward_funcs": f"{file}:{changes['reward_funcs']}"}
        found[name] = training_in(folder / name)
        code, errors = found[name].train("ppo", *(f"--{key}={value}" for key, value in values.items()))
        assert code == 0, errors
    return found


def steps(run):
    return [line["metrics"] for line in run.lines]


def weights(run):
    """The policy's trained weights."""
    return load_file(run.directory / "checkpoints" / "step-2" / "model.safetensors")


def test_what_cannot_be_scored_counts_in_no_mean_of_scores(runs):
    for metrics in steps(runs["one"]):
        assert metrics["objective/scores"] == 1.0
        assert metrics["rewards/one_or_none/mean"] == 1.0
        assert metrics["eval/objective/scores"] == 1.0
        assert metrics["objective/scaled_scores"] == 1.0  # scores that are all equal have no deviation to divide by
        assert metrics["objective/rlhf_reward"] == 1.0 + metrics["objective/non_score_reward"]


def test_the_histogram_of_rewards_has_the_scored_completions_alone(runs):
    for line in runs["one"].lines:
        assert line["histograms"]["env/reward_dist"] == {"edges": [1.0, 1.0], "counts": [4]}


def test_a_sample_without_a_score_has_no_advantage(runs):
    samples = [row for row in runs["letters"].samples if "advantage" in row]
    assert {row["advantage"] == 0 for row in samples if not row["rewards"]} == {True}
    assert {row["advantage"] == 0 for row in samples if row["rewards"]} == {False}


def test_a_pass_without_a_score_changes_nothing_of_its_update(runs):
    for whole, split in zip(steps(runs["letters"]), steps(runs["letters-1x8"]), strict=True):
        expected = {name: value for name, value in whole.items() if name not in CLOCKS}
        found = {name: value for name, value in split.items() if name in expected}
        assert found == {name: pytest.approx(value, rel=2e-4, abs=1e-5) for name, value in expected.items()}


def test_a_step_without_a_score_leaves_the_weights_as_they_are(runs):
    start = load_file(get_task("remarks").checkpoint / "model.safetensors")
    left, moved = weights(runs["nothing"]), weights(runs["letters"])
    assert all(torch.equal(left[name], start[name]) for name in left)
    assert not all(torch.equal(moved[name], start[name]) for name in moved)


def test_a_step_without_a_score_logs_none_and_nothing_that_is_not_finite(runs):
    for metrics in steps(runs["nothing"]):
        assert not WHERE_A_SCORE_IS & metrics.keys()
        assert not {"loss/policy_avg", "loss/value_avg", "val/var_explained"} & metrics.keys()
        assert metrics["grad_norm"] == 0
        assert {"objective/kl", "objective/entropy", "tokens/responses_len_mean"} <= metrics.keys()
    assert all(math.isfinite(value) for run in runs.values() for metrics in steps(run) for value in metrics.values())
    assert json.dumps(runs["nothing"].lines).count("NaN") == 0


def experience(learned_BT):
    """Two completions of two tokens, the second with advantages that nothing may learn from."""
    tokens = Tokens(*(torch.ones(2, 2, dtype=torch.long),) * 3, torch.ones(2, 2, dtype=torch.bool))
    advantages_BT = torch.tensor([[1.0, -1.0], [7.0, 9.0]])
    return PPOExperience(tokens, torch.zeros(2, 2), advantages_BT, torch.zeros(2, 2), advantages_BT, learned_BT)


def loss_and_gradients(learned_BT, rows=slice(None)):
    """The loss out of a pass over the rows, and its gradients."""
    logprobs_BT = torch.tensor([[0.05, 0.02], [0.5, 0.1]], requires_grad=True)
    values_BT = torch.tensor([[0.1, 0.2], [3.0, 4.0]], requires_grad=True)
    new = TokenScores(logprobs_BT[rows], torch.tensor([[1.0, 2.0], [8.0, 8.0]])[rows])
    update_tokens = learned_BT[rows].sum().clamp(min=1)
    piece = experience(learned_BT).rows(rows)
    out = ppo_loss(piece, new, values_BT[rows], make_config("ppo", {}), update_tokens)
    out.loss.backward()
    return out, torch.stack([logprobs_BT.grad, values_BT.grad])


def test_the_loss_of_a_pass_is_that_of_its_scored_completions():
    learned_BT = torch.tensor([[True, True], [False, False]])
    both, gradients = loss_and_gradients(learned_BT)
    alone, gradients_alone = loss_and_gradients(learned_BT, slice(0, 1))
    assert both.loss == alone.loss
    assert both.metrics == alone.metrics
    assert torch.equal(gradients, gradients_alone)
    assert (gradients[:, 0] != 0).all()
    assert (gradients[:, 1] == 0).all()


def test_the_loss_of_a_pass_without_a_score_is_0_with_gradients_of_0():
    out, gradients = loss_and_gradients(torch.zeros(2, 2, dtype=torch.bool))
    assert out.loss == 0
    assert (gradients == 0).all()
    assert all(value == 0 for value in out.metrics.values())
