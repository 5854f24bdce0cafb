"""The page of the Python interface: every public name with its signature and its docstring."""

import inspect
import re
from collections.abc import Iterator
from typing import Any

import rlvitals
from docs.generate.markup import page

PYTHON = """\
`import rlvitals` is all that a script or a notebook needs; each name is imported when it is first used, and neither
torch nor Streamlit comes along. [The diagnosis](../guide/diagnosis.md#from-python) and
[In your training](../guide/callback.md) show them at work.
"""
_HEADING = re.compile(r"^(Args|Raises|Returns|Yields):$")
_ITEM = re.compile(r"^    (\w+): ")


def python() -> str:
    """A section for each public name."""
    return page("The Python interface", PYTHON, *(part for name in rlvitals.__all__ for part in _sections(name)))


def _sections(name: str) -> Iterator[str]:
    subject = getattr(rlvitals, name)
    yield f"## {name}"
    if _shows_signature(subject):
        yield f"```\n{_signature(name, subject)}\n```"
    yield _text(subject)
    if inspect.isclass(subject):
        for method, function in _methods(subject):
            yield f"### {name}.{method}"
            if not isinstance(function, property):
                yield f"```\n{_signature(method, getattr(subject, method))}\n```"
            yield _text(function)


def _shows_signature(subject: Any) -> bool:
    """Records are made by the library alone."""
    return not inspect.isclass(subject) or not (
        hasattr(subject, "__dataclass_fields__") or issubclass(subject, Exception)
    )


def _methods(subject: type) -> Iterator[tuple[str, Any]]:
    for name, value in vars(subject).items():
        is_told = callable(value) or isinstance(value, property | classmethod)
        if is_told and not name.startswith(("_", "on_")) and not inspect.isclass(value):
            yield name, value


def _signature(name: str, function: Any) -> str:
    """One line; without `self`, and with plain names for types."""
    shown = str(inspect.signature(function)).replace("(self, ", "(").replace("(self)", "()")
    shown = re.sub(r"<function .*? at 0x[0-9a-f]+>", "…", shown)  # where a default is a function
    shown = re.sub(r"(?:[a-z_]+\.)+([A-Z]\w+)", r"\1", shown).replace("'", "")
    return f"{name}{shown}"


def _text(subject: Any) -> str:
    """A docstring as Markdown: its headings bold, its arguments a list."""
    lines = []
    for line in (inspect.getdoc(subject) or "").splitlines():
        if heading := _HEADING.match(line):
            lines.append(f"**{heading[1]}**")
            lines.append("")
        elif item := _ITEM.match(line):
            lines.append(f"- `{item[1]}`: {line[item.end() :]}")
        else:
            lines.append(f"  {line.strip()}" if line.startswith("    ") else line)
    return "\n".join(lines)
