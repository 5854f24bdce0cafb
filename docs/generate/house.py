"""The architecture drawing: the rooms, what they import, and the contracts that say who may import whom."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import grimp

from docs.generate.markup import code, table, text

ROOT = Path(__file__).resolve().parents[2]
DESIGN = ROOT / "docs" / "design.md"
PACKAGES = ("diagnostics", "trainer", "app")
_MARKED = "<!-- {name}:begin -->\n{content}\n<!-- {name}:end -->"

Arrows = Mapping[str, frozenset[str]]
"""A room → the rooms that it imports."""


def design() -> str:
    """docs/design.md with today's drawing between its markers. Raises LookupError if a marker is missing."""
    page = DESIGN.read_text("utf-8")
    blocks = {
        "count": _count(),
        **{package: _rooms(package) for package in PACKAGES},
        "contracts": _contracts(),
    }
    for name, content in blocks.items():
        marked = re.compile(_MARKED.format(name=name, content=".*?"), re.DOTALL)
        if not marked.search(page):
            raise LookupError(f"docs/design.md marks no place for {name}")
        block = _MARKED.format(name=name, content=content)
        page = marked.sub(lambda _, block=block: block, page)
    return page


@cache
def arrows() -> Arrows:
    """The imports of every room; a room is a folder or a module directly inside diagnostics, trainer or app."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    found: dict[str, set[str]] = defaultdict(set)
    for module in graph.modules - set(PACKAGES):
        found[_room_of(module)] |= set(map(_room_of, graph.find_modules_directly_imported_by(module)))
    return {room: frozenset(others - {room, *PACKAGES}) for room, others in sorted(found.items())}


def circles() -> list[tuple[str, ...]]:
    """The groups of rooms that reach each other through imports; empty if there are no cycles."""
    reach = {room: _reachable_from(room) for room in arrows()}
    groups = {tuple(sorted(other for other in found if room in reach[other])) for room, found in reach.items()}
    return sorted(group for group in groups if len(group) > 1)


def _reachable_from(room: str) -> frozenset[str]:
    found, ahead = set[str](), [room]
    while ahead:
        fresh = arrows()[ahead.pop()] - found
        found |= fresh
        ahead += fresh
    return frozenset(found)


def _count() -> str:
    number = sum(map(len, arrows().values()))
    found = "; ".join(" ↔ ".join(map(code, group)) for group in circles())
    return f"{len(arrows())} rooms, {number} arrows between them, {f'circles: {found}' if found else 'no circle'}."


def _rooms(package: str) -> str:
    rows = [
        (
            code(_short_name(room, package)),
            _sentence(room),
            ", ".join(code(_short_name(other, package)) for other in others),
        )
        for room, others in ((room, sorted(others)) for room, others in arrows().items())
        if room.startswith(f"{package}.")
    ]
    return table(("Room", "What it is", "Imports"), rows)


def _contracts() -> str:
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    return table(("Contract", "Rooms", "May not import", "Except"), map(_contract, settings["contracts"]))


def _contract(contract: Mapping[str, Any]) -> tuple[str, str, str, str]:
    rooms = contract.get("source_modules") or contract.get("modules") or contract["layers"]
    never = {
        "forbidden": ", ".join(map(code, contract.get("forbidden_modules", ()))),
        "independence": "each other",
        "layers": "a room named before, or beside ∣",
    }[contract["type"]]
    exceptions = "; ".join(map(code, contract.get("ignore_imports", ())))
    return text(contract["name"]), ", ".join(map(code, rooms)), never, exceptions


def _sentence(room: str) -> str:
    """The first line of a room's docstring."""
    source = next(_sources(ROOT / room.replace(".", "/")))
    return (ast.get_docstring(ast.parse(source.read_text("utf-8"))) or "").partition("\n")[0]


def _sources(path: Path) -> Iterator[Path]:
    yield from (file for file in (path / "__init__.py", path.with_suffix(".py")) if file.exists())


def _room_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def _short_name(room: str, package: str) -> str:
    """A room's name within its own package; rooms of other packages keep their full name."""
    return room.removeprefix(f"{package}.")
