"""Linear layers for the CPU, computed by whichever library multiplies faster on this processor.

torch multiplies float32 matrices with MKL, which uses AVX-512 only on Intel: there it is the faster one, and no layer
is replaced. oneDNN, which ships with torch, uses it on AMD as well, and takes half the time on processors with full
512-bit units. On Zen 4 (`halves_vectors`) it is hardly faster, and its call overhead slows small products down. Both
accumulate in float32, in a different order.

Axes: X any leading axes, M their product, I inputs of a layer, O its outputs, N rows of a second factor.
"""

from functools import cache
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.nn.functional import linear

from trainer.acceleration.processor import halves_vectors, is_amd, is_intel

SMALLEST = 1_500_000
"""Multiplications in a product; below this, oneDNN's call overhead exceeds its gain."""

SMALLEST_PACKED, FEWEST_PRODUCTS = 200_000, 16
"""Elements of a weight, and products with it, from which on packing takes less time than it saves."""

FEWEST_ROWS = 100
"""Input rows from which on oneDNN is faster with a weight below `SMALLEST_PACKED` on processors that halve vectors."""

_ROWS = 64
"""Input rows to pack a weight for: the layout is the same for any number above one, and also works for one."""

Model = TypeVar("Model", bound=nn.Module)


@cache
def has_onednn() -> bool:
    """Whether torch has oneDNN, the processor has AVX-512, and there is no accelerator."""
    return (
        not torch.accelerator.is_available()
        and torch.backends.cpu.get_cpu_capability() == "AVX512"
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and hasattr(torch.ops.mkldnn, "_reorder_linear_weight")
    )


def onednn_is_faster() -> bool:
    """Whether oneDNN is faster with weights in torch's own layout."""
    return has_onednn() and is_amd()


def with_fast_layers(model: Model) -> Model:
    """The same model with its plain linear layers replaced by `OneDNNLinear`, sharing the weights, if that pays."""
    if onednn_is_faster():
        for name, layer in [(name, layer) for name, layer in model.named_modules() if type(layer) is nn.Linear]:
            model.set_submodule(name, OneDNNLinear.of(layer))
    return model


def packed_weight(weight_NI: Tensor, products: int) -> Tensor:
    """(N, I) the current weight, in the layout that is fastest for `products` products.

    A weight in torch's layout is rearranged for every product: always by oneDNN, by MKL unless the input axis comes
    first.
    """
    weight_NI = weight_NI.detach()
    if products < FEWEST_PRODUCTS or not (is_plain(weight_NI) and has_onednn()):
        return weight_NI
    if weight_NI.numel() < SMALLEST_PACKED:
        return weight_NI.t().contiguous().t() if is_intel() or halves_vectors() else weight_NI
    copy: Tensor = torch.ops.mkldnn._reorder_linear_weight(weight_NI, _ROWS)
    return copy


def linear_product(inputs_XI: Tensor, weight_NI: Tensor, bias_N: Tensor | None = None) -> Tensor:
    """(X, N) the result of `torch.nn.functional.linear` in float32, without gradients; the weight may be packed."""
    if _is_left_to_torch(inputs_XI, weight_NI):
        return linear(inputs_XI, weight_NI, bias_N)
    result: Tensor = torch.ops.mkldnn._linear_pointwise(inputs_XI, weight_NI, bias_N, "none", [], "")
    return result


def sum_with_product(sum_MN: Tensor, inputs_MI: Tensor, weight_NI: Tensor) -> Tensor:
    """(M, N) the sum of a matrix and a `linear_product`: a single call if torch multiplies."""
    if _is_left_to_torch(inputs_MI, weight_NI):
        return torch.addmm(sum_MN, inputs_MI, weight_NI.t())
    return sum_MN + linear_product(inputs_MI, weight_NI)


def _is_left_to_torch(inputs_XI: Tensor, weight_NI: Tensor) -> bool:
    if weight_NI.is_mkldnn:
        return False
    if inputs_XI.numel() * len(weight_NI) < SMALLEST or not onednn_is_faster():
        return True
    has_few_rows = inputs_XI.numel() < FEWEST_ROWS * inputs_XI.shape[-1]
    return has_few_rows and weight_NI.numel() < SMALLEST_PACKED and halves_vectors()


class OneDNNLinear(nn.Linear):
    """A linear layer that uses oneDNN for float32 products on the CPU, and torch for everything else."""

    @classmethod
    def of(cls, layer: nn.Linear) -> "OneDNNLinear":
        """A layer of this class that shares the given layer's parameters."""
        fast = cls(layer.in_features, layer.out_features, layer.bias is not None, device="meta")
        fast.weight, fast.bias = layer.weight, layer.bias
        return fast.train(layer.training)

    def forward(self, inputs_XI: Tensor) -> Tensor:
        """(X, O) the layer's outputs."""
        if not (is_plain(inputs_XI) and is_plain(self.weight)):
            return super().forward(inputs_XI)
        if not torch.is_grad_enabled():
            return linear_product(inputs_XI, self.weight, self.bias)
        outputs_XO: Tensor = _Product.apply(inputs_XI, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return outputs_XO


class _Product(torch.autograd.Function):
    """`linear_product` with gradients, which it computes as well."""

    @staticmethod
    def forward(ctx: Any, inputs_XI: Tensor, weight_OI: Tensor, bias_O: Tensor | None) -> Tensor:
        ctx.save_for_backward(inputs_XI, weight_OI)
        return linear_product(inputs_XI, weight_OI, bias_O)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient_XO: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        inputs_XI, weight_OI = ctx.saved_tensors
        needs_inputs, needs_weight, needs_bias = ctx.needs_input_grad
        gradient_MO = gradient_XO.flatten(0, -2)
        return (
            linear_product(gradient_XO, weight_OI.t()) if needs_inputs else None,
            weight_gradient(gradient_MO, inputs_XI.flatten(0, -2)) if needs_weight else None,
            gradient_MO.sum(0) if needs_bias else None,
        )


def weight_gradient(gradient_MO: Tensor, inputs_MI: Tensor) -> Tensor:
    """(O, I) gradient, in the cheaper order: oneDNN copies a transposed first factor, autograd a transposed result."""
    (rows, outputs), inputs = gradient_MO.shape, inputs_MI.shape[1]
    if not onednn_is_faster() or (outputs * inputs < SMALLEST_PACKED and halves_vectors()):
        return gradient_MO.t() @ inputs_MI
    if rows * outputs > rows * inputs + outputs * inputs:
        return linear_product(inputs_MI.t(), gradient_MO.t()).t()
    return linear_product(gradient_MO.t(), inputs_MI.t())


def is_plain(values: Tensor) -> bool:
    """Whether this is a float32 tensor on the CPU, not under autocast."""
    return values.dtype == torch.float32 and values.is_cpu and not torch.is_autocast_enabled("cpu")


def is_plain_layer(layer: nn.Module) -> bool:
    """Whether this is a linear layer with `is_plain` weights, neither adapted nor hooked."""
    is_known = type(layer) in (nn.Linear, OneDNNLinear) and is_plain(layer.weight)  # type: ignore[arg-type]
    return is_known and not (layer._forward_hooks or layer._forward_pre_hooks)
