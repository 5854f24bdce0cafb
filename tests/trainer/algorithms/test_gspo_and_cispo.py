"""GRPO's two other weights by hand: one ratio per completion (GSPO), and a bounded one without gradient (CISPO)."""

import math

import pytest
import torch
from torch import Tensor

from trainer.algorithms.losses import LossOut, TokenAverage, grpo_loss, importance_ratios

MASK_BT = torch.tensor([[True, True], [True, False]])
RATIO_BT = torch.tensor([[2.0, 0.5], [1.1, 99.0]])


def loss(ratio_BT: Tensor, advantages: list[float], **changes: object) -> tuple[LossOut, Tensor]:
    """The loss, and the gradient at the log-probabilities."""
    options = {"epsilon": 0.2, "epsilon_high": 0.2, "loss_type": "dapo", **changes}
    average = TokenAverage(str(options.pop("loss_type")), 10, completions=2, tokens=3)
    logprobs_BT = ratio_BT.log().requires_grad_()
    advantages_BT = torch.where(MASK_BT, torch.tensor(advantages).unsqueeze(1), 0.0)
    out = grpo_loss(logprobs_BT, torch.zeros(2, 2), advantages_BT, MASK_BT, average=average, **options)
    out.loss.backward()
    return out, logprobs_BT.grad


def test_the_ratio_of_a_completion_is_the_geometric_mean_of_its_tokens():
    ratio_B1 = importance_ratios(torch.tensor([[8.0, 0.5], [1.1, 99.0]]).log(), torch.zeros(2, 2), MASK_BT, "sequence")
    assert ratio_B1.flatten().tolist() == pytest.approx([2.0, 1.1])
    product = 8.0 * 0.5
    assert ratio_B1[0].item() != pytest.approx(product, rel=0.1)


def test_at_sequence_level_all_tokens_share_the_ratio_and_its_gradient():
    out, gradient_BT = loss(torch.tensor([[1.21, 1.0], [0.9, 9.0]]), [2.0, -3.0], importance_sampling_level="sequence")
    assert out.loss.item() == pytest.approx((-2 * 1.1 * 2 + 3 * 0.9) / 3)
    # every token of the first completion moves the shared ratio by half, and the ratio moves both tokens' losses
    assert gradient_BT[0].tolist() == pytest.approx([-2 * 1.1 / 3] * 2)
    assert gradient_BT[1].tolist() == pytest.approx([3 * 0.9 / 3, 0.0])


def test_at_sequence_level_the_clip_takes_a_completion_as_a_whole():
    ratio_BT = torch.tensor([[1.5, 1.5], [1.1, 9.0]])
    out, gradient_BT = loss(ratio_BT, [1.0, 1.0], importance_sampling_level="sequence")
    assert gradient_BT[0].tolist() == [0.0, 0.0]
    assert out.metrics == {}
    assert out.completion_metrics["clip_ratio/high_mean"].item() == 0.5
    assert out.completion_metrics["clip_ratio/high_max"].item() == 1.0
    by_tokens, _ = loss(ratio_BT, [1.0, 1.0])
    assert by_tokens.metrics["clip_ratio/high_mean"].item() == pytest.approx(2 / 3)


def test_ratios_that_cancel_within_a_completion_are_clipped_by_token_and_not_by_sequence():
    _, by_token_BT = loss(RATIO_BT, [1.0, 0.0])
    _, by_sequence_BT = loss(RATIO_BT, [1.0, 0.0], importance_sampling_level="sequence")
    assert by_token_BT[0].tolist() == pytest.approx([0.0, -0.5 / 3])
    assert by_sequence_BT[0].tolist() == pytest.approx([-1 / 3] * 2)


def test_the_gradient_of_gspos_loss_weighs_a_completion_by_its_mean_as_in_the_paper():
    """Zheng et al. 2025, eq. 5 and 10: (1/G)·Σ s·A·(1/|y|)·Σ ∇ log π."""
    _, gradient_BT = loss(RATIO_BT, [2.0, -3.0], importance_sampling_level="sequence", loss_type="grpo")
    assert gradient_BT[0].tolist() == pytest.approx([-2.0 * 1.0 / 2 / 2] * 2)
    assert gradient_BT[1].tolist() == pytest.approx([3.0 * 1.1 / 2, 0.0])


def test_cispo_bounds_the_weight_of_every_token_and_stops_no_gradient():
    out, gradient_BT = loss(RATIO_BT, [1.0, -1.0], loss_type="cispo", epsilon_high=1.5)
    weights = [1.5, 0.5, 1.1]
    assert gradient_BT[MASK_BT].tolist() == pytest.approx([-1.5 / 3, -0.5 / 3, 1.1 / 3])
    logprobs, advantages = RATIO_BT[MASK_BT].log().tolist(), [1.0, 1.0, -1.0]
    expected = -sum(w * a * p for w, a, p in zip(weights, advantages, logprobs, strict=True)) / 3
    assert out.loss.item() == pytest.approx(expected)
    assert {name: value.item() for name, value in out.metrics.items()} == {"cispo_clip_ratio": pytest.approx(1 / 3)}


def test_the_gradient_of_cispo_does_not_pass_through_its_weight_and_the_surrogates_does():
    _, of_cispo_BT = loss(torch.tensor([[3.0, 1.0], [1.0, 1.0]]), [1.0, 0.0], loss_type="cispo", epsilon_high=5.0)
    _, of_surrogate_BT = loss(torch.tensor([[3.0, 1.0], [1.0, 1.0]]), [1.0, 0.0])
    assert of_cispo_BT[0, 0].item() == pytest.approx(-3 / 3)
    assert of_surrogate_BT[0, 0].item() == 0.0
    through_the_weight = -(3 * math.log(3) + 3) / 3
    assert of_cispo_BT[0, 0].item() != pytest.approx(through_the_weight, rel=0.1)


def test_cispos_upper_bound_is_epsilon_high_itself_as_in_trl():
    _, gradient_BT = loss(torch.tensor([[1.0, 1.0], [1.0, 1.0]]), [1.0, 0.0], loss_type="cispo", epsilon_high=0.2)
    assert gradient_BT[0].tolist() == pytest.approx([-0.2 / 3] * 2)


def test_cispo_counts_a_bounded_weight_only_where_the_advantage_is_positive():
    out, _ = loss(torch.tensor([[9.0, 1.0], [9.0, 1.0]]), [1.0, -1.0], loss_type="cispo", epsilon_high=5.0)
    assert out.metrics["cispo_clip_ratio"].item() == pytest.approx(1 / 3)


def test_cispo_at_sequence_level_gives_a_completion_one_weight():
    out, gradient_BT = loss(
        RATIO_BT, [1.0, 1.0], loss_type="cispo", epsilon_high=1.05, importance_sampling_level="sequence"
    )
    assert gradient_BT[MASK_BT].tolist() == pytest.approx([-1 / 3, -1 / 3, -1.05 / 3])
    assert out.completion_metrics["cispo_clip_ratio"].item() == 0.5


@pytest.mark.parametrize("loss_type", ["grpo", "dr_grpo", "dapo", "cispo"])
@pytest.mark.parametrize("level", ["token", "sequence"])
def test_passes_of_one_completion_add_up_to_one_pass_of_two(loss_type, level):
    average = TokenAverage(loss_type, 10, completions=2, tokens=3)
    advantages_BT = torch.tensor([[2.0, 2.0], [-1.0, 0.0]])

    def of(rows: slice) -> float:
        out = grpo_loss(
            RATIO_BT[rows].log(),
            torch.zeros(2, 2)[rows],
            advantages_BT[rows],
            MASK_BT[rows],
            epsilon=0.3,
            epsilon_high=2.0,
            average=average,
            importance_sampling_level=level,
            ref_logprobs_BT=torch.full((2, 2), 0.1)[rows],
            beta=0.1,
            use_bias_correction_kl=True,
        )
        return out.loss.item()

    assert of(slice(0, 1)) + of(slice(1, 2)) == pytest.approx(of(slice(0, 2)))


def test_the_bias_correction_of_the_kl_takes_the_ratio_of_the_level():
    def kl(level: str) -> float:
        options = {"ref_logprobs_BT": torch.zeros(2, 2), "beta": 1.0, "use_bias_correction_kl": True}
        return loss(RATIO_BT, [0.0, 0.0], importance_sampling_level=level, **options)[0].metrics["kl"].item()

    terms = [1 / ratio - 1 + math.log(ratio) for ratio in (2.0, 0.5, 1.1)]
    by_token = [term * ratio for term, ratio in zip(terms, (2.0, 0.5, 1.1), strict=True)]
    by_sequence = [term * ratio for term, ratio in zip(terms, (1.0, 1.0, 1.1), strict=True)]
    assert kl("token") == pytest.approx(sum(by_token) / 3)
    assert kl("sequence") == pytest.approx(sum(by_sequence) / 3)
