"""Which operations torch was asked for: what a result alone does not show."""

from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode


class Operations(TorchDispatchMode):
    """Notes each operation's name with the shape of what it gave, backward passes included."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[tuple[str, tuple[int, ...]]] = []

    def __torch_dispatch__(self, operation: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = operation(*args, **(kwargs or {}))
        if isinstance(result, Tensor):
            self.noted.append((operation.overloadpacket.__name__, tuple(result.shape)))
        return result

    def shapes_of(self, name: str) -> list[tuple[int, ...]]:
        """What an operation gave, call by call."""
        return [shape for noted, shape in self.noted if noted == name]
