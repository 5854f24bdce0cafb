"""Records the torch operations executed, which the result alone does not show."""

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class Operations(TorchDispatchMode):
    """Records each operation's name with the shape of its output, backward passes included."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[tuple[str, tuple[int, ...]]] = []

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operation(*args, **(kwargs or {}))
        if isinstance(result, Tensor):
            self.noted.append((operation.overloadpacket.__name__, tuple(result.shape)))
        return result

    def shapes_of(self, name: str) -> list[tuple[int, ...]]:
        """An operation's output shapes, call by call."""
        return [shape for noted, shape in self.noted if noted == name]
