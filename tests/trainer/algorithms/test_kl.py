import math

import pytest
import torch

from trainer.algorithms.kl import k1, k3

POLICY = torch.tensor([0.8, 0.1, 0.1])
REFERENCE = torch.tensor([0.2, 0.4, 0.4])
TRUE_KL = float((POLICY * (POLICY / REFERENCE).log()).sum())


@pytest.mark.parametrize("estimator", [k1, k3])
def test_the_mean_of_an_estimator_under_the_policy_is_the_kl(estimator):
    estimates = estimator(POLICY.log(), REFERENCE.log())
    assert float((POLICY * estimates).sum()) == pytest.approx(TRUE_KL, abs=1e-6)


@pytest.mark.parametrize("estimator", [k1, k3])
def test_an_estimator_with_swapped_arguments_is_wrong(estimator):
    estimates = estimator(REFERENCE.log(), POLICY.log())
    assert float((POLICY * estimates).sum()) != pytest.approx(TRUE_KL, rel=0.1)


def test_k1_is_negative_where_the_reference_likes_the_token_better():
    assert k1(torch.tensor([-2.0]), torch.tensor([-1.0])).item() == -1.0


def test_k3_is_never_negative_and_matches_its_formula():
    estimates = k3(torch.tensor([-2.0, -1.0, -1.5]), torch.tensor([-1.0, -2.0, -1.5]))
    assert estimates.tolist() == pytest.approx([math.e - 1 - 1, math.exp(-1) - 1 + 1, 0.0])


def test_k3_varies_less_than_k1_while_policy_and_reference_are_near():
    near = torch.tensor([0.75, 0.15, 0.10])
    kl = float((POLICY * (POLICY / near).log()).sum())
    variances = [float((POLICY * (f(POLICY.log(), near.log()) - kl) ** 2).sum()) for f in (k1, k3)]
    assert variances[1] < 0.1 * variances[0]


def test_both_estimators_are_0_where_policy_and_reference_agree():
    for estimator in (k1, k3):
        assert estimator(POLICY.log(), POLICY.log()).tolist() == [0.0, 0.0, 0.0]


def test_the_mean_under_the_reference_is_not_the_kl_from_the_policy():
    for estimator in (k1, k3):
        estimates = estimator(POLICY.log(), REFERENCE.log())
        assert float((REFERENCE * estimates).sum()) != pytest.approx(TRUE_KL, rel=0.1)
