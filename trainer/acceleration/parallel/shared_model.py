"""One copy of the model in memory shared by all processes of a machine.

Each process computes the gradients of its own rows. Every parameter then has one owner process, which sums the
gradients of all processes, clips the sum and takes the optimizer step, in the memory that all processes read. No
parameter is ever sent, and no optimizer step is computed twice (ZeRO, Rajbhandari et al. 2020, partitions gradients and
optimizer states in the same way).

Axes: P processes, N parameters.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.nn import Parameter
from torch.optim import Optimizer

from trainer.acceleration.parallel.exchange import sum_over_processes, wait_for_all
from trainer.acceleration.parallel.shared_memory import shared_places


@dataclass(frozen=True, slots=True)
class SharedModel:
    """The trained parameters; every process must call every method."""

    parameters_N: Sequence[Parameter]
    gradient_N: Sequence[Tensor]
    """Accumulates each parameter's gradients over the processes; the owner adds its own last."""
    owner_N: Sequence[int]

    @classmethod
    def of(cls, optimizer: Optimizer) -> "SharedModel | None":
        """Share this optimizer's parameters, at the first process's values; None if the processes cannot share memory.

        From here on each process's optimizer steps only the parameters it owns; the first process saves the complete
        state.
        """
        parameters_N = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        places = shared_places(parameters_N, 2)
        if places is None:
            return None
        values_N, gradient_N = places
        if dist.get_rank() == 0:
            for parameter, place in zip(parameters_N, values_N, strict=True):
                place.copy_(parameter.data)
        wait_for_all()
        for parameter, place in zip(parameters_N, values_N, strict=True):
            parameter.data = place
        owner_N = assign_owners((parameter.nbytes for parameter in parameters_N), dist.get_world_size())
        model = cls(parameters_N, gradient_N, owner_N)
        # no process may read parameters that another still writes
        optimizer.register_step_post_hook(lambda *_: wait_for_all())
        optimizer.register_state_dict_post_hook(model._with_states_of_all)
        optimizer.register_load_state_dict_post_hook(model._drop_states_of_others)
        return model

    @property
    def own_N(self) -> list[Parameter]:
        """Parameters that this process owns."""
        rank = dist.get_rank()
        return [parameter for parameter, owner in zip(self.parameters_N, self.owner_N, strict=True) if owner == rank]

    def clip_gradients(self, max_norm: float) -> Tensor:
        """Sum the gradients of all processes, clip them to this norm and return the norm before clipping.

        Afterwards each process has gradients only for the parameters it owns.
        """
        self._add_up()
        own_N = self.own_N
        own_norm = torch.nn.utils.get_total_norm([parameter.grad for parameter in own_N if parameter.grad is not None])
        norm = sum_over_processes(own_norm.square()).sqrt()
        torch.nn.utils.clip_grads_with_norm_(own_N, max_norm, norm)
        return norm

    def _add_up(self) -> None:
        """In round r, process p adds its gradients to the parameters of process p + 1 + r; its own come last."""
        rank, processes = dist.get_rank(), dist.get_world_size()
        for round_ in range(processes):
            turn = (rank + 1 + round_) % processes
            for parameter, sum_, owner in zip(self.parameters_N, self.gradient_N, self.owner_N, strict=True):
                if owner != turn:
                    continue
                if parameter.grad is None:  # none of this process's rows used it
                    parameter.grad = torch.zeros_like(parameter)
                if turn == rank:
                    parameter.grad.add_(sum_)
                    continue
                sum_.add_(parameter.grad) if round_ else sum_.copy_(parameter.grad)
                parameter.grad = None
            if turn != rank:
                wait_for_all()

    def _with_states_of_all(self, _: Optimizer, state: dict[str, Any]) -> None:
        """Send all parameters' optimizer moments to the first process, one by one; the others keep only their own."""
        rank, held_N = dist.get_rank(), state["state"]
        if not held_N:  # before the first step
            return
        names = sorted(next(iter(held_N.values())))
        for number, (parameter, owner) in enumerate(zip(self.parameters_N, self.owner_N, strict=True)):
            for name in names:
                if owner == rank != 0:
                    dist.send(held_N[number][name], 0)
                elif rank == 0 != owner:
                    moment = torch.empty([]) if name == "step" else torch.empty_like(parameter)
                    dist.recv(moment, owner)
                    held_N.setdefault(number, {})[name] = moment

    def _drop_states_of_others(self, optimizer: Optimizer) -> None:
        rank = dist.get_rank()
        for parameter, owner in zip(self.parameters_N, self.owner_N, strict=True):
            if owner != rank:
                optimizer.state.pop(parameter, None)


def assign_owners(sizes: Iterable[int], processes: int) -> list[int]:
    """Assign a process to each size, balancing the totals: largest first, each to the least loaded process."""
    sizes, load_P = list(sizes), [0] * processes
    owner_N = [0] * len(sizes)
    for number in sorted(range(len(sizes)), key=lambda number: -sizes[number]):
        owner_N[number] = min(range(processes), key=load_P.__getitem__)
        load_P[owner_N[number]] += sizes[number]
    return owner_N
