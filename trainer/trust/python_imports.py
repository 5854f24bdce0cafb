"""The modules beside a Python file that it imports, found in its text without running it."""

import ast
from collections.abc import Iterator
from pathlib import Path

from trainer.trust.model_folder import python_files

_MOST_BYTES = 2**20  # of a file that is parsed; larger ones are generated data


def with_modules_beside(file: Path) -> list[Path]:
    """The file, then every module and package beside it that it or one of these imports, sorted.

    An import by a name that is computed as the file runs is not seen.
    """
    folder, found, waiting = file.parent, {file}, [file]
    while waiting:
        for name in _imported(waiting.pop()):
            new = set(_modules_named(folder, name)) - found
            found |= new
            waiting += new
    return [file, *sorted(found - {file})]


def _imported(file: Path) -> set[str]:
    """The first parts of the names that a file imports."""
    try:
        tree = ast.parse(file.read_bytes()) if file.suffix == ".py" and file.stat().st_size <= _MOST_BYTES else None
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):  # Python will not import it either
        return set()
    return set(_names_in(tree)) if tree else set()


def _names_in(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.partition(".")[0]


def _modules_named(folder: Path, name: str) -> list[Path]:
    """The files that `import name` may run: name.py, a compiled name.*.so, or those of the package name/."""
    package = folder / name
    compiled = (path for path in folder.glob(f"{name}.*so") if path.is_file())
    modules = [path for path in (folder / f"{name}.py", *compiled) if path.is_file()]
    return [*modules, *python_files(package)] if package.is_dir() else modules
