"""Loads a user's reward function, named `path/to/file.py:function`."""

import importlib.util
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import PathEntryFinder
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, ModuleType

from diagnostics.told import told
from trainer.config.reward_names import REWARD_FUNCTION, RewardError, function_in_file
from trainer.rewards.function import Function


class _FromSource(SourceFileLoader):
    """Compiles the text, whose hash the user trusts: bytecode in a __pycache__ may be that of another."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def load(name: str, what: str = REWARD_FUNCTION) -> tuple[str, Function]:
    """The function and its name; errors call it `what`.

    Raises:
        RewardError: The file or function does not exist, or the file cannot be imported.
    """
    path, label = function_in_file(name, what)
    try:
        module = _module(path.resolve())
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's file may raise anything, including SystemExit
        problem = f"{type(error).__name__}: {error}"
        raise RewardError(
            told(
                "{what} {name!r}: importing {path} raised {problem}; correct the file",
                what=what,
                name=name,
                path=path,
                problem=problem,
            )
        ) from error
    function = getattr(module, label, None)
    if not callable(function):
        defined = ", ".join(n for n, value in vars(module).items() if inspect.isfunction(value)) or "none"
        raise RewardError(
            told(
                "{what} {name!r}: {path} defines no function {label} (functions there: {defined})",
                what=what,
                name=name,
                path=path,
                label=label,
                defined=defined,
            )
        )
    return label, function


def _module(path: Path) -> ModuleType:
    """The file as a module, imported once per process so that its functions share what it loads."""
    # A name that no import statement can spell, so the file shadows no installed module.
    module_name = f"reward file {path}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, path, loader=_FromSource(module_name, str(path)))
        assert spec is not None  # a given loader always has a spec
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[module_name] = module  # before it runs: dataclasses look up their own module
        try:
            with _importable(path.parent):
                spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[module_name]
            raise
    return sys.modules[module_name]


@contextmanager
def _importable(folder: Path) -> Iterator[None]:
    """Let the file import its siblings while it loads, like a script, from their text as well."""
    installed = [Path(place) for place in sys.path if place]
    from_source = FileFinder.path_hook((ExtensionFileLoader, EXTENSION_SUFFIXES), (_FromSource, SOURCE_SUFFIXES))

    def beside_the_file(place: str) -> PathEntryFinder:
        is_installed = any(Path(place).is_relative_to(path) for path in installed if path.is_relative_to(folder))
        if is_installed or not Path(place).is_relative_to(folder):
            raise ImportError
        return from_source(place)

    sys.path_importer_cache.pop(str(folder), None)
    sys.path_hooks.insert(0, beside_the_file)
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
        sys.path_hooks.remove(beside_the_file)
