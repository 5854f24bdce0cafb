"""Our PPO under TRL's definitions: the same functions as in our loop, put together as TRL's loop puts them.

What differs from `trainer.ppo`, and nothing else:

- the score arrives one position after the last token, whose value is learned too, where the response ends early,
- each pass divides by its own tokens, and logged values are means of the passes' means,
- `approxkl`, `ratio` and `entropy` are averaged over padding too, and `ratio_var` is over the passes' means,
- `gradient_accumulation_steps` passes make an update, whichever mini-batches they are of, and logged values are divided
  by mini-batches × accumulation steps, however many passes there were,
- gradients are not clipped.

Axes: B responses, T tokens, S prompt and response, V vocabulary.
"""

import json
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, PreTrainedModel, get_scheduler

from benchmarks.parity.updates import UpdateTape
from benchmarks.parity.value_model import value_model_of
from trainer.algorithms.advantages import gae, token_rewards
from trainer.algorithms.kl import ESTIMATORS
from trainer.algorithms.losses import ppo_policy_loss, ppo_value_loss
from trainer.algorithms.means import masked_whiten, sequence_sums
from trainer.tasks import get_task


@dataclass(frozen=True, slots=True)
class Rollout:
    """A recorded rollout; `order` lists the rows that each epoch took, epoch after epoch."""

    prompt_ids_BQ: Tensor
    prompt_mask_BQ: Tensor
    ids_BT: Tensor
    mask_BT: Tensor
    score_B: Tensor
    order: Tensor

    @property
    def with_end_BT(self) -> Tensor:
        """The mask plus the position after the last token, if there is one."""
        length_B1 = self.mask_BT.sum(1, keepdim=True)
        return torch.arange(self.mask_BT.shape[1]) <= length_B1


@dataclass(frozen=True, slots=True)
class Learned:
    """What an update learns from, one entry per token."""

    logprobs_BT: Tensor
    advantages_BT: Tensor
    values_BT: Tensor
    returns_BT: Tensor


def train(folder: Path) -> list[dict[str, float]]:
    """Train on the recorded rollouts of a case; one row of TRL's metrics per step. Writes folder/as_trl.npz."""
    config: dict[str, Any] = json.loads((folder / "run" / "run.json").read_text("utf-8"))["config"]
    checkpoint = get_task(config["task"]).checkpoint
    policy, reference = (AutoModelForCausalLM.from_pretrained(checkpoint, dtype=torch.float32) for _ in range(2))
    value_model = value_model_of(checkpoint)
    optimizer = torch.optim.AdamW([*policy.parameters(), *value_model.parameters()], lr=config["learning_rate"])
    rollouts, tape, rows = read_rollouts(folder), UpdateTape(), []
    scheduler = get_scheduler(config["lr_scheduler_type"], optimizer, config["warmup_steps"], len(rollouts))
    with tape.recording():
        for rollout in rollouts:
            learned, objective = judge(policy, reference, value_model, rollout, config)
            rows.append({**objective, **update(policy, value_model, optimizer, rollout, learned, config)})
            scheduler.step()
    tape.save(folder / "as_trl.npz")
    return rows


def read_rollouts(folder: Path) -> list[Rollout]:
    """The rollouts of a case with their scores, less the penalty for a missing end token."""
    penalty = json.loads((folder / "run" / "run.json").read_text("utf-8"))["config"]["missing_eos_penalty"] or 0.0
    samples = [json.loads(line) for line in (folder / "run" / "samples.jsonl").read_text("utf-8").splitlines()]
    with np.load(folder / "rollouts.npz") as arrays:
        steps = sorted({int(name.partition("/")[0]) for name in arrays})
        return [
            Rollout(
                **{
                    name: torch.from_numpy(arrays[f"{step}/{name}"])
                    for name in ("prompt_ids_BQ", "prompt_mask_BQ", "ids_BT", "mask_BT", "order")
                },
                score_B=torch.tensor(
                    [row["score"] - penalty * (not row["terminated"]) for row in samples if row["step"] == step]
                ),
            )
            for step in steps
        ]


@torch.no_grad()
def judge(
    policy: PreTrainedModel,
    reference: PreTrainedModel,
    value_model: PreTrainedModel,
    rollout: Rollout,
    config: dict[str, Any],
) -> tuple[Learned, dict[str, float]]:
    """Rewards and advantages of a rollout, and the `objective/…` metrics."""
    mask_BT, with_end_BT, everyone = rollout.mask_BT, rollout.with_end_BT, slice(None)
    logprobs_BT = torch.where(
        mask_BT, chosen_logprobs(logprobs(policy, rollout, everyone, config), rollout.ids_BT), 0.0
    )
    ref_logprobs_BT = torch.where(
        mask_BT, chosen_logprobs(logprobs(reference, rollout, everyone, config), rollout.ids_BT), 0.0
    )
    values_BT = torch.where(with_end_BT, outputs(value_model, rollout, everyone).squeeze(2), 0.0)
    kl_BT = ESTIMATORS[config["kl_estimator"]](logprobs_BT, ref_logprobs_BT)
    rewards_BT = token_rewards(rollout.score_B, kl_BT, with_end_BT, config["kl_coef"])
    if config["whiten_rewards"]:
        rewards_BT = masked_whiten(rewards_BT, with_end_BT, shift_mean=False)
    advantages_BT, returns_BT = gae(rewards_BT, values_BT, with_end_BT, config["gamma"], config["lam"])
    kl, score = float(kl_BT.sum(1).mean()), float(rollout.score_B.mean())
    objective = {
        "objective/kl": kl,
        "objective/entropy": float(sequence_sums(-logprobs_BT, mask_BT).mean()),
        "objective/non_score_reward": -config["kl_coef"] * kl,
        "objective/rlhf_reward": score - config["kl_coef"] * kl,
        "objective/scores": score,
    }
    return Learned(logprobs_BT, masked_whiten(advantages_BT, mask_BT), values_BT, returns_BT), objective


def update(
    policy: PreTrainedModel,
    value_model: PreTrainedModel,
    optimizer: torch.optim.Optimizer,
    rollout: Rollout,
    learned: Learned,
    config: dict[str, Any],
) -> dict[str, float]:
    """Make a step's updates; returns the means over TRL's table of passes, as TRL logs them."""
    rows, accumulation = len(rollout.ids_BT), config["gradient_accumulation_steps"]
    mini_batches = rollout.order.split(rows // config["num_mini_batches"])
    passes: list[dict[str, Tensor]] = []
    for part in chain.from_iterable(rows_M.split(config["per_device_train_batch_size"]) for rows_M in mini_batches):
        loss, metrics = one_pass(policy, value_model, rollout, learned, part, config)
        (loss / accumulation).backward()
        passes.append(metrics)
        if len(passes) % accumulation == 0:
            optimizer.step()
            optimizer.zero_grad()
    never_made = torch.zeros(len(mini_batches) * accumulation - len(passes))
    table = {name: torch.cat([torch.stack([row[name] for row in passes]), never_made]) for name in passes[0]}
    means = {name: float(values.mean()) for name, values in table.items()}
    return {**means, "val/ratio_var": float(table["val/ratio"].var())}


def one_pass(
    policy: PreTrainedModel,
    value_model: PreTrainedModel,
    rollout: Rollout,
    learned: Learned,
    part: Tensor,
    config: dict[str, Any],
) -> tuple[Tensor, dict[str, Tensor]]:
    """The loss of some rows, divided by their own tokens, and its metrics, padding included where TRL includes it."""
    mask_BT, with_end_BT = rollout.mask_BT[part], rollout.with_end_BT[part]
    logprobs_BTV = logprobs(policy, rollout, part, config)
    new_BT = torch.where(mask_BT, chosen_logprobs(logprobs_BTV, rollout.ids_BT[part]), 0.0)
    old_BT, values_BT = (
        learned.logprobs_BT[part],
        torch.where(with_end_BT, outputs(value_model, rollout, part)[..., 0], 0),
    )
    of_policy = ppo_policy_loss(new_BT, old_BT, learned.advantages_BT[part], mask_BT, config["cliprange"])
    of_values = ppo_value_loss(
        values_BT, learned.values_BT[part], learned.returns_BT[part], with_end_BT, config["cliprange_value"]
    )
    with torch.no_grad():
        with_padding = {
            "policy/approxkl_avg": 0.5 * ((new_BT - old_BT) ** 2).mean(),
            "policy/entropy_avg": -(logprobs_BTV.exp() * logprobs_BTV).sum(2).mean(),
            "val/ratio": (new_BT - old_BT).exp().mean(),
        }
    loss = of_policy.loss + config["vf_coef"] * of_values.loss
    return loss, {**of_policy.metrics, **of_values.metrics, **with_padding}


def outputs(model: PreTrainedModel, rollout: Rollout, rows: Tensor | slice) -> Tensor:
    """(B, T, V or 1) a model's outputs before each response token, padding included; position ids as in TRL."""
    mask_BS = torch.cat([rollout.prompt_mask_BQ[rows], rollout.mask_BT[rows]], 1).long()
    ids_BS = torch.cat([rollout.prompt_ids_BQ[rows], rollout.ids_BT[rows]], 1)
    said = model(input_ids=ids_BS, attention_mask=mask_BS, position_ids=mask_BS.cumsum(1) - mask_BS, use_cache=False)
    outputs_BTV: Tensor = said.logits[:, -rollout.ids_BT.shape[1] - 1 : -1]
    return outputs_BTV


def logprobs(model: PreTrainedModel, rollout: Rollout, rows: Tensor | slice, config: dict[str, Any]) -> Tensor:
    """(B, T, V) log-probabilities at the policy's temperature."""
    return (outputs(model, rollout, rows) / config["temperature"]).log_softmax(2)


def chosen_logprobs(logprobs_BTV: Tensor, ids_BT: Tensor) -> Tensor:
    """(B, T) log-probability of the token that was taken."""
    return logprobs_BTV.gather(2, ids_BT.unsqueeze(2)).squeeze(2)
