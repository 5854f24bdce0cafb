import math

import pytest
import torch

from trainer.acceleration.device import accelerator_for
from trainer.acceleration.parallel.processes import Processes
from trainer.algorithms.experience import Tokens
from trainer.config.algorithms import make_config
from trainer.run.histograms import BINS, StepHistograms, histogram


def test_equal_bins_reach_from_the_smallest_to_the_largest_value():
    found = histogram(torch.arange(33.0))
    assert found["edges"] == pytest.approx(list(range(33)))
    assert found["counts"] == [1] * 31 + [2]  # the last bin holds both its edges


def test_every_finite_value_is_in_one_bin():
    found = histogram(torch.randn(1000, generator=torch.Generator().manual_seed(0)))
    assert len(found["edges"]) == BINS + 1
    assert sum(found["counts"]) == 1000
    assert set(found) == {"edges", "counts"}


def test_what_is_not_finite_is_counted_by_itself():
    found = histogram(torch.tensor([math.nan, 1.0, 2.0, math.inf, math.inf, -math.inf]))
    assert (found["nan"], found["inf"], found["-inf"], sum(found["counts"])) == (1, 2, 1, 2)


def test_without_a_finite_value_there_is_no_bin():
    assert histogram(torch.tensor([math.nan] * 3)) == {"edges": [], "counts": [], "nan": 3}
    assert histogram(torch.empty(0)) == {"edges": [], "counts": []}


@pytest.mark.parametrize("value", [0.0, 1.0, -3.4e38, 1e-45])
def test_values_that_are_all_equal_are_one_bin_without_width(value):
    found = histogram(torch.full((4,), value))
    assert found["edges"][0] == found["edges"][1]
    assert found["counts"] == [4]


def test_values_too_near_for_bins_of_their_own_share_one():
    near = torch.tensor([1.0, 1.0 + 2**-52], dtype=torch.float64)
    assert histogram(near)["counts"] == [2]


def test_integers_and_half_precision_are_values_too():
    assert sum(histogram(torch.tensor([3, 4, 4]))["counts"]) == 3
    assert sum(histogram(torch.tensor([1.0, 2.0], dtype=torch.bfloat16))["counts"]) == 2


@pytest.mark.parametrize(("every", "due"), [(0, []), (1, [1, 2, 3, 4, 5, 6]), (3, [1, 3, 6]), (10, [1])])
def test_they_are_due_at_the_first_step_and_at_every_nth(every, due):
    assert [step for step in range(1, 7) if StepHistograms(step, every).are_due] == due


def step_histograms(step, ref_logprobs_BT):
    """The histograms of two completions of 2 and 1 tokens, whose padding holds what must not count."""
    mask_BT = torch.tensor([[True, True], [True, False]])
    tokens = Tokens(torch.ones(2, 3).long(), torch.tensor([[1, 1, 1], [0, 0, 1]]), torch.ones(2, 2).long(), mask_BT)
    logprobs_BT = torch.tensor([[-1.0, -2.0], [-3.0, 99.0]])
    found = StepHistograms(step, 10)
    found.add_ratios(logprobs_BT + math.log(2), logprobs_BT, mask_BT)
    processes = Processes(accelerator_for(make_config("ppo", {"use_cpu": True})))
    advantages_BT = torch.tensor([[0.5, 0.5], [-1.0, 99.0]])
    return found.of(processes, torch.tensor([0.0, 1.0]), tokens, logprobs_BT, advantages_BT, ref_logprobs_BT)


def bin_ranges(found):
    return {name: (bins["edges"][0], bins["edges"][-1], sum(bins["counts"])) for name, bins in found.items()}


def test_a_step_has_the_histograms_of_the_logging_page_without_padding():
    ref_logprobs_BT = torch.tensor([[-1.0, -2.0], [-2.5, -99.0]])
    assert bin_ranges(step_histograms(10, ref_logprobs_BT)) == {
        "env/reward_dist": (0, 1, 2),
        "objective/logprobs": (-3, -1, 3),
        "objective/ref_logprobs": (-2.5, -1, 3),
        "objective/kl_dist": (0, pytest.approx(math.exp(0.5) - 1.5), 2),  # k3, summed over each completion
        "policy/ratio": (pytest.approx(2), pytest.approx(2), 3),
        "policy/advantages": (-1, 0.5, 3),
        "tokens/queries_len_dist": (1, 3, 2),
        "tokens/responses_len_dist": (1, 2, 2),
    }


def test_without_a_reference_there_is_no_kl():
    assert {"objective/ref_logprobs", "objective/kl_dist"}.isdisjoint(step_histograms(10, None))


def test_between_the_steps_none_is_made():
    assert step_histograms(7, None) == {}
