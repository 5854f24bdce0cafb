"""What the cells of a notebook put out: text, HTML and errors, as nbformat 4 stores them."""

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from diagnostics.readers.console.plain_text import strip_ansi
from diagnostics.readers.files.json_lines import as_text
from diagnostics.readers.notebooks.settings import CodeSettings


class Output(NamedTuple):
    """One output of a cell. `error` is the last line of a traceback, where the cell ended in one."""

    text: str = ""
    html: str = ""
    error: str = ""


class Cell(NamedTuple):
    """A cell with outputs; `number` counts all cells of the notebook from 1, as its reader sees them.

    `settings` are those that the code so far gives to a trainer.
    """

    number: int
    outputs: tuple[Output, ...]
    settings: Mapping[str, Any] = MappingProxyType({})


def cells_of(notebook: Any) -> Iterator[Cell] | None:
    """The cells with outputs; None if a JSON document is not a notebook."""
    cells = notebook.get("cells") if isinstance(notebook, dict) else None
    return _with_outputs(cells) if isinstance(cells, list) else None


def _with_outputs(cells: list[Any]) -> Iterator[Cell]:
    code = CodeSettings()
    for number, cell in enumerate(cells, 1):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            code.feed(_text(cell.get("source")))
        outputs = cell.get("outputs") if isinstance(cell, dict) else None
        if isinstance(outputs, list) and outputs:
            read = tuple(_output(output) for output in outputs if isinstance(output, dict))
            yield Cell(number, read, code.found)


def _output(output: dict[str, Any]) -> Output:
    if output.get("output_type") == "stream":
        return Output(_text(output.get("text")))
    if output.get("output_type") == "error":
        return Output(error=strip_ansi(f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"))
    data = output.get("data")
    if not isinstance(data, dict):
        return Output()
    return Output(_text(data.get("text/plain")), _text(data.get("text/html")))


def _text(value: Any) -> str:
    """A text, which may be stored as a list of its lines; empty for anything else."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return as_text(value) if isinstance(value, str) else ""
