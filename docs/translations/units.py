"""The units that rules name in their code, beside those of metrics."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from docs.translations.texts import Text

_ROOT = Path(__file__).parents[2]
_RULES = _ROOT / "diagnostics" / "rules"
_UNIT = "unit"  # what a function, or a class with fields, calls it


def units() -> Iterator[Text]:
    """Each unit that stands as a literal, or as a name of one, where something of the rules takes a unit."""
    places = dict(place for tree in _trees().values() for place in _places(tree))
    for where, tree in _trees().items():
        named = _named_texts(tree)
        found = (text for value in _values(tree, places) for text in _texts(value, named))
        yield from (Text(unit, where, _UNIT) for unit in dict.fromkeys(found) if unit)


def composed_units() -> Iterator[str]:
    """Where a unit is put together as a rule runs, so that no catalogue holds it: "file:line"."""
    places = dict(place for tree in _trees().values() for place in _places(tree))
    for where, tree in _trees().items():
        values = (value for value in _values(tree, places) if isinstance(value, ast.JoinedStr | ast.BinOp))
        yield from (f"{where}:{value.lineno}" for value in values)


@cache
def _trees() -> dict[str, ast.Module]:
    paths = sorted(_RULES.rglob("*.py"))
    return {path.relative_to(_ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


def _places(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """What takes a unit by its place among the values: the name of the class or function, and the place."""
    for node in ast.walk(tree):
        names = list(_parameters(node))
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and _UNIT in names:
            yield node.name, names.index(_UNIT)


def _parameters(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef):
        yield from (argument.arg for argument in node.args.args if argument.arg != "self")
    elif isinstance(node, ast.ClassDef):
        fields = (item.target for item in node.body if isinstance(item, ast.AnnAssign))
        yield from (field.id for field in fields if isinstance(field, ast.Name))


def _values(tree: ast.Module, places: dict[str, int]) -> Iterator[ast.expr]:
    """What is given as a unit: in a call, or by default."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            yield from node.args[places[name] : places[name] + 1] if name in places else ()
            yield from (keyword.value for keyword in node.keywords if keyword.arg == _UNIT)
        elif isinstance(node, ast.FunctionDef):
            given = zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
            yield from (default for argument, default in given if argument.arg == _UNIT and default)
        elif isinstance(node, ast.AnnAssign) and node.value:
            yield from [node.value] if isinstance(node.target, ast.Name) and node.target.id == _UNIT else []


def _texts(value: ast.expr, named: dict[str, str]) -> Iterator[str]:
    for part in ast.walk(value):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value
        elif isinstance(part, ast.Name) and part.id in named:
            yield named[part.id]


def _named_texts(tree: ast.Module) -> dict[str, str]:
    return {
        node.targets[0].id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        and isinstance(node.targets[0], ast.Name)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    }
