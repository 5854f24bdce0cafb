"""The settings of a training as the code of a notebook states them. Code is parsed and never run."""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

from diagnostics.readers.console.plain_text import strip_ansi

CONFIGS = frozenset({"GRPOConfig", "RLOOConfig", "PPOConfig", "PPOv2Config", "OnlineDPOConfig"})
"""TRL's classes of settings, which its trainers take as `args`."""
OTHER_CONFIGS = frozenset({"TrainingArguments", "SFTConfig", "RewardConfig", "DPOConfig", "KTOConfig", "ORPOConfig"})
"""Those of trainings without RL: what follows them is none."""
LONGEST = 1 << 18  # characters of a cell that are parsed
MOST_NAMES = 1000  # whose values are remembered
_MAGICS = ("%", "!")  # lines of IPython's own, which are no Python
_UNKNOWN = object()
_BRANCHES = (ast.If, ast.IfExp, ast.For, ast.AsyncFor, ast.While, ast.Try, ast.TryStar, ast.Match, ast.comprehension)
_OPERATIONS: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
}


class CodeSettings(ast.NodeVisitor):
    """What the cells so far state: the arguments of the newest of TRL's classes of settings.

    Values are literals, names that were given one before, and sums and products of such numbers. What may be another
    value where it is used is left out: a name of a branch, a loop or an argument, and an argument that is set later.
    """

    def __init__(self) -> None:
        self.found: Mapping[str, Any] = {}
        self._values: dict[str, Any] = {}
        self._branches = 0  # around what is visited

    def feed(self, source: str) -> None:
        """Read the next cell; one that is no Python, or too long, says nothing."""
        if len(source) > LONGEST:
            return
        lines = strip_ansi(source).split("\n")
        code = "\n".join("" if line.lstrip().startswith(_MAGICS) else line for line in lines)
        self._branches = 0
        try:
            self.visit(ast.parse(code))
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return

    def visit(self, node: ast.AST) -> None:
        """Visit what is below a node; below a branch or a loop nothing is sure."""
        is_branch = isinstance(node, _BRANCHES)
        self._branches += is_branch
        super().visit(node)
        self._branches -= is_branch

    def visit_Name(self, node: ast.Name) -> None:
        """Forget the value of a name that gets another one."""
        if not isinstance(node.ctx, ast.Load):
            self._values.pop(node.id, None)

    def visit_arg(self, node: ast.arg) -> None:
        """Forget the value of a name that is an argument of a function."""
        self._values.pop(node.arg, None)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """Remember the value of a name."""
        self._assign(node, node.targets, node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Remember the value of a name with a type."""
        self._assign(node, [node.target], node.value)

    def _assign(self, node: ast.AST, targets: list[ast.expr], given: ast.expr | None) -> None:
        value = _UNKNOWN if given is None or self._branches else self._value(given)
        self.generic_visit(node)
        for target in targets:
            if isinstance(target, ast.Attribute):
                self.found = {argument: item for argument, item in self.found.items() if argument != target.attr}
            elif isinstance(target, ast.Name) and value is not _UNKNOWN and len(self._values) < MOST_NAMES:
                self._values[target.id] = value

    def visit_Call(self, node: ast.Call) -> None:
        """Take the arguments of a class of settings."""
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in OTHER_CONFIGS or (name in CONFIGS and self._branches):
            self.found = {}
        elif name in CONFIGS:
            named = {keyword.arg: self._value(keyword.value) for keyword in node.keywords if keyword.arg}
            self.found = {argument: value for argument, value in named.items() if value is not _UNKNOWN}
        self.generic_visit(node)

    def _value(self, node: ast.expr) -> Any:
        if isinstance(node, ast.Constant) and isinstance(node.value, str | int | float | None):
            return node.value
        if isinstance(node, ast.Name):
            return self._values.get(node.id, _UNKNOWN)
        if isinstance(node, ast.List | ast.Tuple):
            values = [self._value(item) for item in node.elts]
            return _UNKNOWN if _UNKNOWN in values else values
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return _calculated(operator.sub, 0, self._value(node.operand))
        if isinstance(node, ast.BinOp) and (operation := _OPERATIONS.get(type(node.op))):
            return _calculated(operation, self._value(node.left), self._value(node.right))
        return _UNKNOWN


def _calculated(operation: Callable[[Any, Any], Any], left: Any, right: Any) -> Any:
    """The result for two numbers; unknown for anything else, as a text times a number may fill the memory."""
    if not all(isinstance(value, int | float) for value in (left, right)):
        return _UNKNOWN
    try:
        return operation(left, right)
    except (ArithmeticError, ValueError):
        return _UNKNOWN
