"""Loads a user's reward function, named `path/to/file.py:function`."""

import importlib.util
import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from trainer.config.reward_names import RewardError, function_in_file
from trainer.rewards.function import Function


def load(name: str, what: str = "reward function") -> tuple[str, Function]:
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
        raise RewardError(f"{what} {name!r}: importing {path} raised {problem}; correct the file") from error
    function = getattr(module, label, None)
    if not callable(function):
        defined = ", ".join(n for n, value in vars(module).items() if inspect.isfunction(value)) or "none"
        raise RewardError(f"{what} {name!r}: {path} defines no function {label} (functions there: {defined})")
    return label, function


def _module(path: Path) -> ModuleType:
    """The file as a module, imported once per process so that its functions share what it loads."""
    # A name that no import statement can spell, so the file shadows no installed module.
    module_name = f"reward file {path}"
    if module_name not in sys.modules:
        spec = importlib.util.spec_from_file_location(module_name, path)
        assert spec is not None  # a .py path always has a spec and a loader
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
    """Let the file import its siblings while it loads, like a script."""
    sys.path.insert(0, str(folder))
    try:
        yield
    finally:
        sys.path.remove(str(folder))
