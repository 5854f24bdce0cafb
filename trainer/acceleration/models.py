"""Models with faster parts: the layers of known architectures, replaced by ones that compute the same, to rounding."""

from typing import TypeVar

from transformers import PreTrainedModel

from trainer.acceleration.layers.attention import with_short_attention
from trainer.acceleration.layers.decoder_layer import with_lean_layers
from trainer.acceleration.layers.linear import with_fast_layers
from trainer.acceleration.layers.mlp import with_lean_mlps
from trainer.acceleration.parallel.sharding import asks_for_deepspeed

Model = TypeVar("Model", bound=PreTrainedModel)


def with_faster_parts(model: Model, keeps_attention: bool) -> Model:
    """The same model, faster where its parts are known; what is not known stays as transformers made it.

    Args:
        keeps_attention: Its attention was chosen, and stays.
    """
    faster = with_lean_mlps(with_fast_layers(model))
    if not asks_for_deepspeed():  # it joins what processes compute in the order of their gradients: one for all of them
        faster = with_lean_layers(faster)
    return faster if keeps_attention else with_short_attention(faster)
