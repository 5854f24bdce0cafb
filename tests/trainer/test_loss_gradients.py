"""The losses at and across their clip boundaries: values, clip metrics and gradients, against hand-computed ones."""

import pytest
import torch
from torch import Tensor

from trainer.algorithms.losses import LossOut, TokenAverage, grpo_loss, ppo_policy_loss, ppo_value_loss

ONE = torch.ones(1, 1)
HALF = 0.5  # a clip range that float32 holds exactly, as it does 1 + HALF and 1 − HALF
STEP = 2**-20


def ppo(logprobs_BT: Tensor, advantage: float, old_BT: Tensor | None = None) -> LossOut:
    old_BT = torch.zeros_like(logprobs_BT) if old_BT is None else old_BT
    ones_BT = torch.ones_like(logprobs_BT)
    return ppo_policy_loss(logprobs_BT, old_BT, advantage * ones_BT, ones_BT.bool(), HALF)


def grpo(logprobs_BT: Tensor, advantage: float, old_BT: Tensor | None = None) -> LossOut:
    rows, tokens = logprobs_BT.shape
    return grpo_loss(
        logprobs_BT,
        torch.zeros_like(logprobs_BT) if old_BT is None else old_BT,
        torch.full_like(logprobs_BT, advantage),
        torch.ones_like(logprobs_BT).bool(),
        epsilon=HALF,
        epsilon_high=HALF,
        average=TokenAverage("dapo", tokens, completions=rows, tokens=rows * tokens),
    )


def gradient(loss, ratio: float, advantage: float) -> float:
    """d loss / d log-probability of one token of that ratio."""
    logprobs_BT = torch.tensor([[ratio]]).log().requires_grad_()
    loss(logprobs_BT, advantage).loss.backward()
    return logprobs_BT.grad.item()


@pytest.mark.parametrize("loss", [ppo, grpo])
@pytest.mark.parametrize(
    ("advantage", "boundary", "outwards"),
    [(2.0, 1 + HALF, 1), (-2.0, 1 - HALF, -1)],
)
def test_the_gradient_is_minus_advantage_times_ratio_up_to_the_boundary_and_zero_beyond(
    loss, advantage, boundary, outwards
):
    inside, outside = boundary - outwards * 1e-3, boundary + outwards * 1e-3
    assert gradient(loss, inside, advantage) == pytest.approx(-advantage * inside, rel=1e-5)
    assert gradient(loss, outside, advantage) == 0.0


@pytest.mark.parametrize("loss", [ppo, grpo])
@pytest.mark.parametrize(("advantage", "ratio"), [(2.0, 0.01), (-2.0, 9.0)])
def test_a_ratio_that_the_advantage_pulls_back_keeps_its_gradient_however_far_it_went(loss, advantage, ratio):
    assert gradient(loss, ratio, advantage) == pytest.approx(-advantage * ratio, rel=1e-5)


@pytest.mark.parametrize("loss", [ppo, grpo])
def test_a_clip_on_the_ratio_alone_would_stop_the_gradient_on_the_wrong_side_too(loss):
    logprobs_BT = torch.tensor([[9.0]]).log().requires_grad_()
    (2 * logprobs_BT.exp().clamp(1 - HALF, 1 + HALF)).sum().backward()
    assert logprobs_BT.grad.item() == 0.0 != gradient(loss, 9.0, -2.0)


@pytest.mark.parametrize(
    ("loss", "metric", "advantage"),
    [
        (ppo, "policy/clipfrac_avg", 1.0),
        (ppo, "policy/clipfrac_avg", -1.0),
        (grpo, "clip_ratio/high_mean", 1.0),
        (grpo, "clip_ratio/low_mean", -1.0),
    ],
)
def test_a_clip_metric_counts_beyond_the_boundary_and_not_at_it(loss, metric, advantage):
    outwards = 1 if advantage > 0 else -1

    def counted(beyond: float) -> float:
        """The metric at a ratio of exactly 1 ± HALF ± beyond: 2 ** x is exact where exp(log x) is not."""
        ratio = 1 + outwards * (HALF + beyond)
        old_BT = torch.zeros(1, 1)
        found = next(
            candidate
            for candidate in (torch.tensor([[ratio]]).log() + shift * STEP / 8 for shift in range(-16, 17))
            if (candidate - old_BT).exp().item() == ratio
        )
        return loss(found, advantage).metrics[metric].item()

    assert (counted(-STEP), counted(0.0), counted(STEP)) == (0.0, 0.0, 1.0)


def test_the_clip_counts_of_the_other_sign_stay_zero():
    far_BT = torch.tensor([[9.0, 0.01]]).log()
    assert grpo(far_BT, 0.0).metrics["clip_ratio/region_mean"].item() == 0.0
    assert grpo(far_BT, 1.0).metrics["clip_ratio/low_mean"].item() == 0.0
    assert grpo(far_BT, -1.0).metrics["clip_ratio/high_mean"].item() == 0.0
    assert ppo(far_BT, 0.0).metrics["policy/clipfrac_avg"].item() == 0.0


@pytest.mark.parametrize(
    ("value", "target", "expected"),
    [
        (0.4, 2.0, -1.6),  # within the range: value − return
        (0.6, 2.0, 0.0),  # beyond it and towards the return: the clipped error is larger and does not move
        (0.6, -2.0, 2.6),  # beyond it and away from the return: the plain error is larger and pulls back
        (-0.6, -2.0, 0.0),
        (-0.6, 2.0, -2.6),
    ],
)
def test_the_gradient_of_the_value_loss_is_the_error_unless_the_clip_holds_it(value, target, expected):
    value_BT = torch.tensor([[value]]).requires_grad_()
    out = ppo_value_loss(value_BT, torch.zeros(1, 1), target * ONE, ONE.bool(), HALF)
    out.loss.backward()
    assert value_BT.grad.item() == pytest.approx(expected)
    assert out.metrics["val/clipfrac_avg"].item() == float(expected == 0.0)


def test_a_value_at_the_boundary_is_not_counted_as_clipped():
    def counted(value: float) -> float:
        out = ppo_value_loss(torch.tensor([[value]]), torch.zeros(1, 1), 2 * ONE, ONE.bool(), HALF)
        return out.metrics["val/clipfrac_avg"].item()

    assert (counted(HALF - STEP), counted(HALF), counted(HALF + STEP)) == (0.0, 0.0, 1.0)


def test_rounding_never_counts_a_value_that_stayed_within_the_range():
    generator = torch.Generator().manual_seed(0)
    old_BT, values_BT = torch.randn(2, 64, 64, generator=generator)
    within_BT = (values_BT - old_BT).abs() < HALF
    out = ppo_value_loss(values_BT, old_BT, torch.randn(64, 64, generator=generator), within_BT, HALF)
    assert out.metrics["val/clipfrac_avg"].item() == 0.0
    written_otherwise_BT = old_BT + (values_BT - old_BT).clamp(-HALF, HALF)
    assert (written_otherwise_BT != values_BT)[within_BT].any()


@pytest.mark.parametrize(
    ("loss_type", "weights"),
    [
        ("grpo", [1 / 4, 1 / 4, 1 / 2]),  # completions weigh the same: 1 / (2 completions × their tokens)
        ("dr_grpo", [1 / 20, 1 / 20, 1 / 20]),  # 1 / (2 completions × 10)
        ("dapo", [1 / 3, 1 / 3, 1 / 3]),  # 1 / 3 tokens
        ("bnpo", [1 / 3, 1 / 3, 1 / 3]),
    ],
)
def test_each_loss_type_weighs_the_tokens_gradients_in_its_own_way(loss_type, weights):
    mask_BT = torch.tensor([[True, True], [True, False]])
    ratio_BT, advantages_BT = torch.tensor([[1.2, 0.9], [1.1, 5.0]]), torch.tensor([[2.0, 2.0], [-3.0, -3.0]])
    logprobs_BT = ratio_BT.log().requires_grad_()
    out = grpo_loss(
        logprobs_BT,
        torch.zeros(2, 2),
        advantages_BT,
        mask_BT,
        epsilon=HALF,
        epsilon_high=HALF,
        average=TokenAverage(loss_type, 10, completions=2, tokens=3),
    )
    out.loss.backward()
    pushes = [-2.0 * 1.2, -2.0 * 0.9, 3.0 * 1.1]
    expected = [weight * push for weight, push in zip(weights, pushes, strict=True)]
    assert out.loss.item() == pytest.approx(sum(expected))
    assert logprobs_BT.grad[mask_BT].tolist() == pytest.approx(expected)
    assert logprobs_BT.grad[~mask_BT].tolist() == [0.0]


@pytest.mark.parametrize(("logprob", "ref_logprob"), [(-1.0, -2.0), (-2.0, -1.0), (-1.5, -1.5)])
def test_beta_pulls_a_token_towards_the_reference_by_1_minus_q_over_p(logprob, ref_logprob):
    logprobs_BT = torch.tensor([[logprob]], requires_grad=True)
    out = grpo_loss(
        logprobs_BT,
        logprobs_BT.detach(),
        0 * ONE,
        ONE.bool(),
        epsilon=HALF,
        epsilon_high=HALF,
        average=TokenAverage("dapo", 1, completions=1, tokens=1),
        ref_logprobs_BT=ref_logprob * ONE,
        beta=0.25,
    )
    out.loss.backward()
    expected = 0.25 * (1 - torch.tensor(ref_logprob - logprob).exp().item())
    assert logprobs_BT.grad.item() == pytest.approx(expected, abs=1e-7)


def test_the_policy_loss_of_ppo_over_two_passes_adds_up_to_that_of_one():
    mask_BT = torch.tensor([[True, True], [True, False]])
    ratio_BT, advantages_BT = torch.tensor([[1.2, 0.9], [1.1, 5.0]]), torch.tensor([[2.0, 2.0], [-3.0, -3.0]])

    def loss(rows: slice) -> float:
        out = ppo_policy_loss(
            ratio_BT[rows].log(), torch.zeros(2, 2)[rows], advantages_BT[rows], mask_BT[rows], HALF, mask_BT.sum()
        )
        return out.loss.item()

    assert loss(slice(0, 1)) + loss(slice(1, 2)) == pytest.approx(loss(slice(0, 2)))
    assert loss(slice(0, 2)) == pytest.approx((-2.4 - 1.8 + 3.3) / 3)
    means_of_passes = ((-2.4 - 1.8) / 2 + 3.3) / 2
    assert loss(slice(0, 2)) != pytest.approx(means_of_passes, rel=0.1)


@pytest.mark.parametrize("is_corrected", [True, False])
def test_the_gradient_of_the_kl_term_is_that_of_the_kl_only_with_the_bias_correction(is_corrected):
    logits_V = torch.tensor([2.0, 0.0, -1.0], requires_grad=True)
    reference_V = torch.tensor([0.2, 0.3, 0.5])
    logprobs_V = logits_V.log_softmax(0)
    expected_term = sum(
        prob * kl_term(logprob.view(1, 1), ref.log().view(1, 1), is_corrected)
        for prob, logprob, ref in zip(logprobs_V.detach().exp(), logprobs_V, reference_V, strict=True)
    )
    (found_V,) = torch.autograd.grad(expected_term, logits_V, retain_graph=True)
    kl = (logprobs_V.exp() * (logprobs_V - reference_V.log())).sum()
    reverse_kl = (reference_V * (reference_V.log() - logprobs_V)).sum()
    (of_kl_V,) = torch.autograd.grad(kl, logits_V, retain_graph=True)
    (of_reverse_V,) = torch.autograd.grad(reverse_kl, logits_V)
    right_V, wrong_V = (of_kl_V, of_reverse_V) if is_corrected else (of_reverse_V, of_kl_V)
    assert found_V.tolist() == pytest.approx(right_V.tolist(), abs=1e-6)
    assert found_V.tolist() != pytest.approx(wrong_V.tolist(), rel=0.1)


def kl_term(logprob_BT: Tensor, ref_logprob_BT: Tensor, is_corrected: bool) -> Tensor:
    """The KL term of a loss whose advantage is 0 and whose beta is 1, of one token."""
    return grpo_loss(
        logprob_BT,
        logprob_BT.detach(),
        0 * ONE,
        ONE.bool(),
        epsilon=HALF,
        epsilon_high=HALF,
        average=TokenAverage("dapo", 1, completions=1, tokens=1),
        ref_logprobs_BT=ref_logprob_BT,
        beta=1.0,
        use_bias_correction_kl=is_corrected,
    ).loss
