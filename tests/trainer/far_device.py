"""A simulated non-CPU device, for machines without one: `python far_device.py TRAIN-WORDS` trains on it.

Its tensors live in plain memory and the CPU computes them, but torch treats them as being on another device, "far:0".
As on a GPU, an operation on tensors of both devices fails, unless it is a copy or the CPU's is a single number, and
`numpy` and pointers are refused. This reveals tensors that a training leaves on the CPU, or assumes to be there,
without a GPU; it does not cover a GPU's own kernels.
"""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map
from torch.utils.backend_registration import _DummyBackendModule, _setup_privateuseone_for_python_backend

NAME = "far"
_LIBRARY, _OTHERS = torch.library.Library("aten", "IMPL"), torch.library.Library("_", "IMPL")
COPIES = ("aten::_to_copy", "aten::copy_", "aten::_local_scalar_dense")
"""What may read one device and write the other."""


class _Module(_DummyBackendModule):
    """The functions that torch expects of a device's module."""

    def get_amp_supported_dtype(self) -> list[torch.dtype]:
        """The dtypes supported by autocast."""
        return [torch.bfloat16, torch.float16]

    def manual_seed_all(self, seed: int) -> None:
        """The device has no generator of its own."""


class FarTensor(Tensor):
    """A tensor on the device; `near` contains its values."""

    near: Tensor

    @staticmethod
    def __new__(cls, near: Tensor) -> "FarTensor":
        far: FarTensor = Tensor._make_wrapper_subclass(
            cls,
            near.shape,
            strides=near.stride(),
            storage_offset=near.storage_offset(),
            dtype=near.dtype,
            device=torch.device(NAME, 0),
        )
        far.near = near
        return far

    def tolist(self) -> Any:
        """The values, which torch does not return for subclasses."""
        return self.near.tolist()

    @classmethod
    def __torch_dispatch__(cls, operation: Any, _: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        return computed(operation, args, kwargs or {})


class OnFar(TorchDispatchMode):
    """Context in which tensors can be created on the device."""

    def __torch_dispatch__(self, operation: Any, _: Any, args: Sequence[Any] = (), kwargs: Any = None) -> Any:
        return computed(operation, args, kwargs or {})


def computed(operation: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """Compute an operation of the device on the CPU.

    Raises:
        RuntimeError: tensors of both devices are mixed.
    """
    name, device = operation._schema.name, kwargs.get("device")
    tensors = [value for value in tree_leaves((args, kwargs)) if isinstance(value, Tensor)]
    far = [tensor for tensor in tensors if isinstance(tensor, FarTensor)]
    if far and name not in COPIES and any(tensor.dim() and not isinstance(tensor, FarTensor) for tensor in tensors):
        raise RuntimeError(f"{name} mixes devices: {[(str(each.device), tuple(each.shape)) for each in tensors]}")
    if device is not None:
        is_far = torch.device(device).type == NAME
        kwargs = {**kwargs, "device": torch.device("cpu")}
    else:
        is_far = isinstance(args[0], FarTensor) if name == "aten::copy_" else bool(far)
    near_args, near_kwargs = tree_map(_as_cpu, (tuple(args), dict(kwargs)))
    given = {id(tensor.near): tensor for tensor in far}  # in-place operations return the tensor they were given
    result = operation(*near_args, **near_kwargs)
    return tree_map(lambda value: _as_far(value, given) if is_far else value, result)


def _as_cpu(value: Any) -> Any:
    return value.near if isinstance(value, FarTensor) else value


def _as_far(value: Any, given: Mapping[int, FarTensor]) -> Any:
    if not isinstance(value, Tensor):
        return value
    return given[id(value)] if id(value) in given else FarTensor(value)


def _empty_strided(size: Sequence[int], stride: Sequence[int], dtype: Any = None, *_: Any, **__: Any) -> Tensor:
    return FarTensor(torch.empty_strided(size, stride, dtype=dtype))


def _empty(size: Sequence[int], dtype: Any = None, *_: Any, **__: Any) -> Tensor:
    return FarTensor(torch.empty(size, dtype=dtype))


def _copy_from(source: Tensor, target: Tensor, *_: Any) -> Tensor:
    _as_cpu(target).copy_(_as_cpu(source))
    return target


def _autocast(operation: Any) -> Callable[..., Tensor]:
    def cast(*args: Any, **kwargs: Any) -> Tensor:
        precision = torch.get_autocast_dtype(NAME)
        with torch.autocast(NAME, enabled=False):
            lower = tree_map(lambda each: each.to(precision) if _is_float(each) else each, (args, kwargs))
            result: Tensor = operation(*lower[0], **lower[1])
            return result

    return cast


def _is_float(value: Any) -> bool:
    return isinstance(value, Tensor) and value.dtype == torch.float32


_OF_TENSORS_MADE_FROM_LISTS: Mapping[str, Callable[..., Tensor]] = {
    "empty_strided": _empty_strided,
    "empty.memory_format": _empty,
    "_copy_from": _copy_from,
}

_IN_LOWER_PRECISION: Mapping[str, Callable[..., Tensor]] = {
    "linear": torch.nn.functional.linear,
    "matmul": torch.matmul,
    "scaled_dot_product_attention": torch.nn.functional.scaled_dot_product_attention,
}
"""Some of the operations that autocast computes so on a GPU: those of a model."""


def install() -> None:
    """Register the device with torch in this process."""
    _setup_privateuseone_for_python_backend(NAME, backend_module=_Module())
    for name, implementation in _OF_TENSORS_MADE_FROM_LISTS.items():
        _LIBRARY.impl(name, implementation, "PrivateUse1")
    for name, operation in _IN_LOWER_PRECISION.items():
        _LIBRARY.impl(name, _autocast(operation), "AutocastPrivateUse1")
    _OTHERS.fallback(torch.library.fallthrough_kernel, "AutocastPrivateUse1")
    torch.__future__.set_swap_module_params_on_conversion(True)  # parameters keep their identity when a model moves


def main(words: list[str]) -> int:
    """Train on the device with the arguments of `rlvitals train`; returns the training's exit code."""
    install()
    os.environ["ACCELERATE_TORCH_DEVICE"] = f"{NAME}:0"
    from trainer.main import main as train  # noqa: PLC0415 - when accelerate knows the device

    with OnFar():
        return train(["train", *words])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
