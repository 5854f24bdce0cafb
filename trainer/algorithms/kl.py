"""Estimators of the KL from the policy to the reference at a sampled token.

Source: J. Schulman, "Approximating KL divergence" (2020), http://joschu.net/blog/kl-approx.html. With samples x from
the policy p and a reference q, the estimated quantity is KL(p ‖ q) = E_p[log p(x) − log q(x)]; with swapped arguments
the estimate is meaningless, which the tests pin down.
"""

from collections.abc import Callable, Mapping

from torch import Tensor


def k1(logprobs_BT: Tensor, ref_logprobs_BT: Tensor) -> Tensor:
    """log p − log q: unbiased, and negative wherever the reference gives the token more probability than the policy."""
    return logprobs_BT - ref_logprobs_BT


def k3(logprobs_BT: Tensor, ref_logprobs_BT: Tensor) -> Tensor:
    """q/p − 1 − log(q/p): unbiased, never negative, and with lower variance than k1 while p and q are close."""
    log_ratio_BT = ref_logprobs_BT - logprobs_BT
    return log_ratio_BT.expm1() - log_ratio_BT


Estimator = Callable[[Tensor, Tensor], Tensor]
ESTIMATORS: Mapping[str, Estimator] = {"k1": k1, "k3": k3}
