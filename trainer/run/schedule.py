"""Changes of base learning rates during a training: the schedule continues and scales the new ones."""

from collections.abc import Sequence

from torch.optim.lr_scheduler import LambdaLR


def set_base_rates(scheduler: LambdaLR, rates: Sequence[float]) -> None:
    """Use these base rates, one per parameter group, from the next update on."""
    scheduler.base_lrs = list(rates)
    for group, rate, share in zip(scheduler.optimizer.param_groups, rates, scheduler.lr_lambdas, strict=True):
        group["lr"] = rate * share(scheduler.last_epoch)
