"""The rollout engine apart from the trainer: a second copy of the policy, whose weights may be older or rounded.

It stands for vLLM and its like in the trainer's own process: it generates and reports the log-probabilities of what it
drew, and knows of the policy's updates only what reaches it.
"""

from collections import deque
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor
from transformers import PreTrainedModel

from trainer.config.options.rollout_engine import EngineSettings

Weights = Mapping[str, Tensor]

LARGEST_FLOAT8 = torch.finfo(torch.float8_e4m3fn).max


class RolloutEngine:
    """The copy, with the versions of its weights that it may be asked to generate with, the newest last.

    A version is what the policy is after one step's updates. Each takes as much memory as the weights that are trained.
    """

    def __init__(self, policy: PreTrainedModel, settings: Sequence[EngineSettings], device: torch.device) -> None:
        """Copy the policy as it is before training.

        Args:
            settings: Those of every step that it will generate for; they decide how many versions are kept.
        """
        self._policy_parameters = dict(policy.named_parameters())
        self._model = deepcopy(policy)
        self._model.requires_grad_(False)
        self._model.to(device)  # type: ignore[arg-type] # the decorator of transformers hides its first parameter
        self._device = device
        versions = 1 + max(each.staleness for each in settings)
        self._versions: deque[Weights] = deque([self._trained()], maxlen=versions)
        self.staleness = 0
        """Versions that the weights in use are behind the newest."""

    @torch.no_grad()
    def with_weights_for(self, settings: EngineSettings) -> PreTrainedModel:
        """The copy, with the weights that it has to generate with; early in a training, the oldest there are."""
        self.staleness = min(settings.staleness, len(self._versions) - 1)
        weights = self._versions[-1 - self.staleness]
        for name, parameter in self._model.named_parameters():
            original = self._policy_parameters[name]
            parameter.data = rounded(weights.get(name, original.detach()), settings.rounding)
        return self._model

    def receive(self, is_synced: bool) -> None:
        """Take the policy's weights as a new version; unsynced, the version is counted and the weights stay."""
        self._versions.append(self._trained() if is_synced else self._versions[-1])

    def _trained(self) -> Weights:
        return {
            name: parameter.detach().to(self._device, copy=True)
            for name, parameter in self._policy_parameters.items()
            if parameter.requires_grad
        }

    def state_dict(self) -> dict[str, Any]:
        """The versions, bit for bit."""
        return {"versions": list(self._versions)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue with the saved versions."""
        saved = [{name: weight.to(self._device) for name, weight in each.items()} for each in state["versions"]]
        self._versions = deque(saved, maxlen=self._versions.maxlen)


def rounded(weight: Tensor, precision: str | None) -> Tensor:
    """The weight rounded to a precision, in its own type; vectors, such as a norm's, keep theirs with float8.

    A matrix in float8 has one scale, which maps its largest magnitude to float8's, as vLLM's does.
    """
    match precision:
        case "bfloat16":
            return weight.to(torch.bfloat16).to(weight.dtype)
        case "float8_e4m3fn" if weight.dim() > 1:
            scale = (weight.abs().amax() / LARGEST_FLOAT8).clamp(min=torch.finfo(weight.dtype).tiny)
            return (weight / scale).to(torch.float8_e4m3fn).to(weight.dtype) * scale
    return weight
