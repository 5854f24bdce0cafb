"""Gated MLPs for the CPU that store half as much for the backward pass and recompute the gated activation.

The MLP is the widest part of a layer. torch stores four tensors of its inner width for the gradient; two of them follow
from the others by a sigmoid and two multiplications, which is cheap next to the matrix products.

Axes: X any leading axes, M their product, W hidden size, I inner size.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import silu
from transformers.activations import SiLUActivation

from trainer.acceleration.layers.linear import is_plain, is_plain_layer, linear_product, weight_gradient

FAMILIES = ("LlamaMLP", "MistralMLP", "Qwen2MLP", "Qwen3MLP")
"""Classes of transformers that compute `down(act(gate(x)) * up(x))`."""

Model = TypeVar("Model", bound=nn.Module)


def with_lean_mlps(model: Model) -> Model:
    """The same model with its gated MLPs of known families replaced by `LeanMLP`, sharing the layers."""
    for name, mlp in [(name, mlp) for name, mlp in model.named_modules() if _is_known(mlp)]:
        model.set_submodule(name, LeanMLP(mlp))
    return model


def _is_known(module: nn.Module) -> bool:
    return is_of_transformers(module, FAMILIES) and isinstance(module.act_fn, nn.SiLU | SiLUActivation)


def is_of_transformers(module: nn.Module, names: Sequence[str]) -> bool:
    """Whether its class is one of these in transformers itself, not a namesake in a model's custom code."""
    kind = type(module)
    return kind.__module__.startswith("transformers.") and kind.__name__ in names


class LeanMLP(nn.Module):
    """A gated MLP with SiLU; its layers keep their names and can be replaced or hooked as usual."""

    def __init__(self, mlp: Any) -> None:
        super().__init__()
        self.gate_proj, self.up_proj, self.down_proj = mlp.gate_proj, mlp.up_proj, mlp.down_proj
        self.act_fn = mlp.act_fn
        self.train(mlp.training)

    def forward(self, inputs_XW: Tensor) -> Tensor:
        """(X, W) the MLP's outputs."""
        layers = (self.gate_proj, self.up_proj, self.down_proj)
        if (
            torch.is_grad_enabled()
            and is_plain(inputs_XW)
            and all(is_plain_layer(layer) and layer.bias is None for layer in layers)
        ):
            outputs_XW: Tensor = _LeanMLP.apply(inputs_XW, *(layer.weight for layer in layers))  # type: ignore[no-untyped-call]
        else:
            outputs_XW = self.down_proj(self.act_fn(self.gate_proj(inputs_XW)) * self.up_proj(inputs_XW))
        return outputs_XW


class _LeanMLP(torch.autograd.Function):
    """Stores only the inputs and the two inner projections."""

    @staticmethod
    def forward(ctx: Any, inputs_XW: Tensor, *weights: Tensor) -> Tensor:
        outputs_XW, gate_XI, up_XI = gated_mlp(inputs_XW, weights)
        ctx.save_for_backward(inputs_XW, gate_XI, up_XI, *weights)
        return outputs_XW

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_XW: Tensor) -> tuple[Tensor | None, ...]:
        inputs_XW, gate_XI, up_XI, *weights = ctx.saved_tensors
        inputs_gradient_MW, *others = gated_gradients(
            gradient_XW.flatten(0, -2),
            inputs_XW.flatten(0, -2),
            gate_XI.flatten(0, -2),
            up_XI.flatten(0, -2),
            weights,
            ctx.needs_input_grad,
        )
        return None if inputs_gradient_MW is None else inputs_gradient_MW.view(inputs_XW.shape), *others


def gated_mlp(inputs_XW: Tensor, weights: Sequence[Tensor]) -> tuple[Tensor, Tensor, Tensor]:
    """(X, W) outputs, (X, I) gate and up projection; the weights are those of the gate, up and down projections."""
    gate_IW, up_IW, down_WI = weights
    gate_XI, up_XI = linear_product(inputs_XW, gate_IW), linear_product(inputs_XW, up_IW)
    return linear_product(silu(gate_XI).mul_(up_XI), down_WI), gate_XI, up_XI


def gated_gradients(
    gradient_MW: Tensor,
    inputs_MW: Tensor,
    gate_MI: Tensor,
    up_MI: Tensor,
    weights: Sequence[Tensor],
    needed: Sequence[bool] = (True, True, True, True),
) -> tuple[Tensor | None, ...]:
    """Gradients of the inputs and the three weights of `gated_mlp`; None for any that is not needed."""
    gate_IW, up_IW, down_WI = weights
    of_inputs, of_gate, of_up, of_down = needed
    passed_MI = silu(gate_MI)
    down_gradient_WI = weight_gradient(gradient_MW, passed_MI * up_MI) if of_down else None
    inner_MI = linear_product(gradient_MW, down_WI.t())
    up_gradient_MI = passed_MI.mul_(inner_MI)
    gate_gradient_MI = torch.ops.aten.silu_backward(inner_MI.mul_(up_MI), gate_MI)
    return (
        linear_product(gate_gradient_MI, gate_IW.t()).add_(linear_product(up_gradient_MI, up_IW.t()))
        if of_inputs
        else None,
        weight_gradient(gate_gradient_MI, inputs_MW) if of_gate else None,
        weight_gradient(up_gradient_MI, inputs_MW) if of_up else None,
        down_gradient_WI,
    )
