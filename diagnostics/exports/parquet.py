"""Parquet by pyarrow, which the app brings along: written in groups of rows, so that memory holds one of them."""

import importlib
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import Any, BinaryIO

from diagnostics.language import _

NUMBERS_BY_NAME = "map"  # a kind of column: names with a number each


class ParquetMissing(Exception):  # noqa: N818 - named for what is the case
    """pyarrow is not installed; the message is a sentence that says what to do."""


def written(columns: Mapping[str, str], groups: Iterable[Mapping[str, list[Any]]], file: BinaryIO) -> None:
    """Write groups of rows, each given by its columns; `columns` names arrow's type of each. Raises ParquetMissing."""
    if find_spec("pyarrow") is None:
        raise ParquetMissing(_("parquet needs pyarrow, which is not installed; run: pip install pyarrow, or use text"))
    arrow, parquet = importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    schema = arrow.schema([(name, _type(arrow, kind)) for name, kind in columns.items()])
    with parquet.ParquetWriter(file, schema) as writer:
        for group in groups:
            writer.write_table(arrow.table({name: _storable(group[name]) for name in columns}, schema))


def _type(arrow: Any, kind: str) -> Any:
    return arrow.map_(arrow.string(), arrow.float64()) if kind == NUMBERS_BY_NAME else getattr(arrow, kind)()


def _storable(values: list[Any]) -> list[Any]:
    """Text as UTF-8 can hold it: half of a pair of characters, which JSON may give, becomes a question mark."""
    return [value.encode("utf-8", "replace").decode() if isinstance(value, str) else value for value in values]
