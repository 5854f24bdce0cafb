import math

import pytest
import torch

from trainer.algorithms.losses import TokenAverage, aggregate, grpo_loss, ppo_policy_loss, ppo_value_loss

MASK_BT = torch.tensor([[True, True], [True, False]])


def of_ratios(*rows: list[float]) -> torch.Tensor:
    return torch.tensor(rows).log()


def test_the_ratio_is_new_over_old_and_padding_does_not_count():
    out = ppo_policy_loss(of_ratios([1.0, 2.0], [3.0, 50.0]), torch.zeros(2, 2), torch.ones(2, 2), MASK_BT, 1e9)
    assert out.metrics["val/ratio"].item() == pytest.approx(2.0)
    assert out.metrics["val/ratio_var"].item() == pytest.approx(2 / 3)
    assert out.metrics["val/ratio_max"].item() == pytest.approx(3.0)
    assert out.loss.item() == pytest.approx(-2.0)
    expected = 0.5 * (math.log(2) ** 2 + math.log(3) ** 2) / 3
    assert out.metrics["policy/approxkl_avg"].item() == pytest.approx(expected)


@pytest.mark.parametrize(
    ("ratio", "advantage", "loss", "clipped"),
    [
        (1.1, 1.0, -1.1, 0.0),  # inside the range
        (1.5, 1.0, -1.2, 1.0),  # above, and the advantage would push it further
        (1.5, -1.0, 1.5, 0.0),  # above, and the advantage pulls it back
        (0.5, -1.0, 0.8, 1.0),
        (0.5, 1.0, -0.5, 0.0),
    ],
)
def test_the_clip_only_stops_an_update_that_would_go_further(ratio, advantage, loss, clipped):
    one = torch.ones(1, 1)
    out = ppo_policy_loss(of_ratios([ratio]), torch.zeros(1, 1), one * advantage, one.bool(), 0.2)
    assert out.loss.item() == pytest.approx(loss)
    assert out.metrics["policy/clipfrac_avg"].item() == clipped


def test_a_clipped_token_gets_no_gradient():
    logprobs_BT = of_ratios([1.5, 1.1]).requires_grad_()
    ppo_policy_loss(logprobs_BT, torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2).bool(), 0.2).loss.backward()
    assert logprobs_BT.grad.tolist() == [[0.0, pytest.approx(-0.55)]]


def test_the_value_loss_takes_the_larger_error_and_halves_it():
    out = ppo_value_loss(torch.tensor([[1.0, 0.1]]), torch.zeros(1, 2), torch.ones(1, 2), torch.ones(1, 2).bool(), 0.2)
    assert out.loss.item() == pytest.approx(0.5 * (0.8**2 + 0.9**2) / 2)
    assert out.metrics["val/clipfrac_avg"].item() == 0.5


@pytest.mark.parametrize(
    ("loss_type", "expected"),
    [("grpo", (1.5 + 6.0) / 2), ("bnpo", 9 / 3), ("dr_grpo", 9 / (2 * 10)), ("dapo", 9 / 3), ("cispo", 9 / 3)],
)
def test_each_loss_type_averages_tokens_in_its_own_way(loss_type, expected):
    losses_BT = torch.tensor([[1.0, 2.0], [6.0, 77.0]])
    assert aggregate(losses_BT, MASK_BT, TokenAverage(loss_type, 10, completions=2, tokens=3)).item() == pytest.approx(
        expected
    )


@pytest.mark.parametrize("loss_type", ["grpo", "bnpo", "dr_grpo", "dapo", "cispo"])
def test_two_passes_of_one_completion_add_up_to_one_pass_of_two(loss_type):
    losses_BT = torch.tensor([[1.0, 2.0], [6.0, 77.0]])
    whole = aggregate(losses_BT, MASK_BT, TokenAverage(loss_type, 10, completions=2, tokens=3))
    halves = [
        aggregate(
            losses_BT[row : row + 1], MASK_BT[row : row + 1], TokenAverage(loss_type, 10, completions=2, tokens=3)
        )
        for row in (0, 1)
    ]
    assert sum(halves).item() == pytest.approx(whole.item())


def test_grpo_counts_a_clip_only_where_it_holds_the_policy_back():
    ratios_BT = of_ratios([0.5, 1.5], [0.5, 9.0])
    advantages_BT = torch.tensor([[-1.0, -1.0], [1.0, 1.0]])
    out = grpo_loss(
        ratios_BT,
        torch.zeros(2, 2),
        advantages_BT,
        MASK_BT,
        epsilon=0.2,
        epsilon_high=0.3,
        average=TokenAverage("dapo", 2, completions=2, tokens=3),
    )
    assert out.loss.item() == pytest.approx((0.8 + 1.5 - 0.5) / 3)
    assert {name: value.item() for name, value in out.metrics.items()} == {
        "clip_ratio/low_mean": pytest.approx(1 / 3),
        "clip_ratio/low_min": 0.0,
        "clip_ratio/high_mean": 0.0,
        "clip_ratio/high_max": 0.0,
        "clip_ratio/region_mean": pytest.approx(1 / 3),
    }


def test_the_upper_bound_of_grpo_is_epsilon_high():
    def high_mean(ratio: float) -> float:
        one = torch.ones(1, 1)
        average = TokenAverage("dapo", 1, completions=1, tokens=1)
        out = grpo_loss(of_ratios([ratio]), 0 * one, one, one.bool(), epsilon=0.2, epsilon_high=0.28, average=average)
        return out.metrics["clip_ratio/high_mean"].item()

    assert (high_mean(1.27), high_mean(1.29)) == (0.0, 1.0)


def test_beta_adds_the_kl_to_the_reference_which_is_never_negative():
    one = torch.ones(1, 1)
    average = TokenAverage("dapo", 1, completions=1, tokens=1)
    out = grpo_loss(
        -one,
        -one,
        0 * one,
        one.bool(),
        epsilon=0.2,
        epsilon_high=0.2,
        average=average,
        ref_logprobs_BT=-2 * one,
        beta=0.5,
    )
    assert out.metrics["kl"].item() == pytest.approx(math.exp(-1))
    assert out.loss.item() == pytest.approx(0.5 * math.exp(-1))
