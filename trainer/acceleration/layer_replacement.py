"""Faster models: layers of known architectures are replaced by ones with the same results, to rounding."""

from typing import TypeVar

from transformers import PreTrainedModel

from trainer.acceleration.layers.attention import with_short_attention
from trainer.acceleration.layers.decoder_layer import with_lean_layers
from trainer.acceleration.layers.linear import with_fast_layers
from trainer.acceleration.layers.mlp import with_lean_mlps
from trainer.acceleration.parallel.sharding import asks_for_deepspeed

Model = TypeVar("Model", bound=PreTrainedModel)


def with_faster_parts(model: Model, keeps_attention: bool) -> Model:
    """The same model with faster replacements for its known parts; unknown parts stay unchanged.

    Args:
        keeps_attention: The user chose an attention implementation, so keep it.
    """
    faster = with_lean_mlps(with_fast_layers(model))
    if (
        not asks_for_deepspeed()
    ):  # it reduces gradients in the order they arrive, which must not differ between processes
        faster = with_lean_layers(faster)
    return faster if keeps_attention else with_short_attention(faster)
