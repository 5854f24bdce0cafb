"""The correction for an engine apart from the trainer, against a transcription of TRL's formulas in plain Python."""

import math

import pytest
import torch

from trainer.algorithms.engine_correction import importance_weights, mismatch_metrics, weight_metrics
from trainer.algorithms.losses import TokenAverage, grpo_loss

MODES = ("token_truncate", "token_mask", "sequence_truncate", "sequence_mask")
BOUNDS = [(None, 3.0), (0.5, 3.0), (0.5, None)]
LENGTHS = (3, 1, 2, 3)
MASK_BT = torch.arange(3) < torch.tensor(LENGTHS).unsqueeze(1)
SAMPLING_BT = torch.tensor([[-1.0, -2.0, -0.5], [-0.1, 9.0, 9.0], [-3.0, -0.2, 9.0], [-0.7, -0.7, -0.7]])
POLICY_BT = torch.tensor([[-1.1, -0.4, -0.6], [-0.1, -9.0, -9.0], [-1.8, -0.1, -9.0], [-1.9, -0.9, -0.8]])


def plain_weights(mode: str, low: float | None, high: float | None) -> list[list[float]]:
    """The weight of each real token, row by row."""
    rows = []
    for policy, sampling, length in zip(POLICY_BT.tolist(), SAMPLING_BT.tolist(), LENGTHS, strict=True):
        apart = [policy[t] - sampling[t] for t in range(length)]
        ratios = [math.exp(sum(apart))] * length if mode.startswith("sequence") else [math.exp(each) for each in apart]
        rows.append([plain_bounded(ratio, mode, low, high) for ratio in ratios])
    return rows


def plain_bounded(ratio: float, mode: str, low: float | None, high: float | None) -> float:
    least, most = (-math.inf if low is None else low), (math.inf if high is None else high)
    if mode.endswith("truncate"):
        return min(max(ratio, least), most)
    return ratio if least <= ratio <= most else 0.0


def weights(mode: str, low: float | None, high: float | None) -> torch.Tensor:
    return importance_weights(POLICY_BT, SAMPLING_BT, MASK_BT, mode, low, high)


def loss(mode: str | None = None, **changes: object) -> tuple[float, torch.Tensor, dict[str, float]]:
    """The loss, its gradient at the log-probabilities, and its metrics; without a mode nothing is corrected."""
    new_BT = (POLICY_BT + torch.tensor([0.05, -0.1, 0.3])).requires_grad_()
    advantages_BT = torch.where(MASK_BT, torch.tensor([1.0, -1.0, 2.0, 0.5]).unsqueeze(1), 0.0)
    out = grpo_loss(
        new_BT,
        POLICY_BT,
        advantages_BT,
        MASK_BT,
        epsilon=0.2,
        epsilon_high=0.2,
        average=TokenAverage("dapo", 10, completions=4, tokens=9),
        importance_weights_BX=None if mode is None else weights(mode, None, 3.0),
        **changes,
    )
    out.loss.backward()
    return out.loss.item(), new_BT.grad, {name: value.item() for name, value in out.metrics.items()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("low", "high"), BOUNDS)
def test_the_weights_are_those_of_the_formula(mode, low, high):
    found_BT = weights(mode, low, high).expand_as(MASK_BT)
    found = [row[:length] for row, length in zip(found_BT.tolist(), LENGTHS, strict=True)]
    expected = plain_weights(mode, low, high)
    assert found == [pytest.approx(row, rel=1e-5) for row in expected]


@pytest.mark.parametrize(("mode", "columns"), [*zip(MODES, (3, 3, 1, 1), strict=True)])
def test_a_sequence_has_one_weight_and_tokens_have_one_each(mode, columns):
    assert weights(mode, None, 3.0).shape == (4, columns)


def test_each_mode_treats_what_lies_outside_the_bounds_in_its_own_way():
    outside = {mode: weights(mode, 0.5, 3.0).expand_as(MASK_BT)[MASK_BT] for mode in MODES}
    assert [bool((found == 0).any()) for found in outside.values()] == [False, True, False, True]
    assert [found.max().item() == 3.0 for found in outside.values()] == [True, False, True, False]


def test_padding_has_no_part_in_a_sequences_weight_and_leaves_tokens_alone():
    assert weights("sequence_truncate", None, 3.0)[1].item() == 1.0
    assert weights("token_truncate", None, 3.0)[1].tolist() == [1.0, 1.0, 1.0]


def test_where_the_engine_is_the_policy_every_weight_is_one():
    for mode in MODES:
        assert importance_weights(POLICY_BT, POLICY_BT, MASK_BT, mode, 0.5, 3.0).unique().tolist() == [1.0]


def test_a_log_probability_that_is_no_number_stays_seen():
    broken_BT = SAMPLING_BT.clone()
    broken_BT[0, 1] = math.nan
    found_BT = importance_weights(POLICY_BT, broken_BT, MASK_BT, "token_truncate", None, 3.0)
    assert found_BT.isnan().sum().item() == 1
    assert math.isnan(mismatch_metrics(POLICY_BT, broken_BT, MASK_BT)["sampling/sampling_logp_difference/mean"])


@pytest.mark.parametrize("mode", MODES)
def test_the_policy_loss_is_weighted_and_its_kl_is_not(mode):
    """TRL: per_token_loss · ratio, then + beta · per_token_kl; "dapo" divides by the tokens of the update."""
    ref_logprobs_BT = torch.full((4, 3), -1.0)
    found, gradient_BT, metrics = loss(mode, ref_logprobs_BT=ref_logprobs_BT, beta=0.1)
    total, new_BT = 0.0, POLICY_BT + torch.tensor([0.05, -0.1, 0.3])
    for row, (advantage, row_weights) in enumerate(
        zip((1.0, -1.0, 2.0, 0.5), plain_weights(mode, None, 3.0), strict=True)
    ):
        for t in range(LENGTHS[row]):
            ratio = math.exp(new_BT[row, t].item() - POLICY_BT[row, t].item())
            clipped = min(max(ratio, 0.8), 1.2)
            apart = -1.0 - new_BT[row, t].item()
            kl = math.exp(apart) - apart - 1
            total += -min(ratio * advantage, clipped * advantage) * row_weights[t] + 0.1 * kl
    assert found == pytest.approx(total / 9, rel=1e-5)
    without_weights = loss(ref_logprobs_BT=ref_logprobs_BT, beta=0.1)
    assert found != pytest.approx(without_weights[0], rel=1e-2)
    assert metrics == pytest.approx(without_weights[2])
    assert gradient_BT[~MASK_BT].tolist() == [0.0] * 3


def test_a_sequence_that_is_masked_out_moves_nothing_and_still_counts_in_the_mean():
    masked_out = weights("sequence_mask", None, 1.5).flatten() == 0
    assert masked_out.tolist() == [True, False, True, False]
    new_BT = POLICY_BT.clone().requires_grad_()
    out = grpo_loss(
        new_BT,
        POLICY_BT,
        torch.where(MASK_BT, 1.0, 0.0),
        MASK_BT,
        epsilon=0.2,
        epsilon_high=0.2,
        average=TokenAverage("dapo", 10, completions=4, tokens=9),
        importance_weights_BX=weights("sequence_mask", None, 1.5),
    )
    out.loss.backward()
    assert new_BT.grad[masked_out].abs().max().item() == 0.0
    assert new_BT.grad[1, 0].item() == pytest.approx(-1 / 9)


@pytest.mark.parametrize("loss_type", ["grpo", "bnpo", "dr_grpo", "dapo", "cispo"])
@pytest.mark.parametrize("level", ["token", "sequence"])
@pytest.mark.parametrize("mode", MODES)
def test_passes_of_two_completions_add_up_to_one_pass_of_four(loss_type, level, mode):
    weights_BX = weights(mode, None, 3.0)

    def of(rows: slice) -> float:
        return grpo_loss(
            POLICY_BT[rows] + 0.05,
            POLICY_BT[rows],
            torch.ones(4, 3)[rows],
            MASK_BT[rows],
            epsilon=0.2,
            epsilon_high=2.0,
            average=TokenAverage(loss_type, 10, completions=4, tokens=9),
            importance_sampling_level=level,
            importance_weights_BX=weights_BX[rows],
        ).loss.item()

    assert of(slice(0, 2)) + of(slice(2, 4)) == pytest.approx(of(slice(0, 4)), rel=1e-5)


def test_how_far_the_engines_are_apart_is_measured_over_real_tokens():
    apart = [0.1, 1.6, 0.1, 0.0, 1.2, 0.1, 1.2, 0.2, 0.1]
    assert mismatch_metrics(POLICY_BT, SAMPLING_BT, MASK_BT) == {
        "sampling/sampling_logp_difference/mean": pytest.approx(sum(apart) / 9, rel=1e-4),
        "sampling/sampling_logp_difference/max": pytest.approx(1.6, rel=1e-4),
    }


@pytest.mark.parametrize("mode", MODES)
def test_weights_are_counted_by_token_or_by_sequence(mode):
    rows = plain_weights(mode, None, 3.0)
    counted = [row[0] for row in rows] if mode.startswith("sequence") else [each for row in rows for each in row]
    assert weight_metrics(weights(mode, None, 3.0), MASK_BT) == {
        "sampling/importance_sampling_ratio/min": pytest.approx(min(counted), rel=1e-5),
        "sampling/importance_sampling_ratio/mean": pytest.approx(sum(counted) / len(counted), rel=1e-5),
        "sampling/importance_sampling_ratio/max": pytest.approx(max(counted), rel=1e-5),
    }
