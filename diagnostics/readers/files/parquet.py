"""Parquet files; the only module that imports pyarrow."""

from pathlib import Path
from typing import Any

INSTALL = "parquet files need pyarrow, which is not installed; run: pip install 'rlvitals[data]'"
NOT_WHOLE = "cannot be read as parquet: it is not written to its end, damaged, or has more columns than pyarrow takes"
Row = dict[str, Any]


def read_rows(file: Path) -> list[Row]:
    """Every row; none if the file is gone, torn or not parquet. Raises ImportError without pyarrow."""
    return rows_of_whole(file) or []


def rows_of_whole(file: Path) -> list[Row] | None:
    """Every row; None if the file is gone, torn or not parquet. Raises ImportError without pyarrow."""
    return _rows(file, first_only=False)


def is_whole(file: Path) -> bool:
    """Whether a file is complete: its footer is written last. Raises ImportError without pyarrow."""
    pyarrow = _pyarrow()
    try:
        pyarrow.parquet.read_metadata(file)
    except (OSError, UnicodeDecodeError, pyarrow.ArrowException):
        return False
    return True


def first_row(file: Path) -> Row | None:
    """The first row; None if it cannot be read, or without pyarrow."""
    try:
        return next(iter(_rows(file, first_only=True) or ()), None)
    except ImportError:
        return None


def column(file: Path, name: str) -> list[Any]:
    """The values of one column; none if there is no such column. Raises ImportError without pyarrow."""
    pyarrow = _pyarrow()
    try:
        return list(pyarrow.parquet.read_table(file, columns=[name]).column(name).to_pylist())
    except (OSError, KeyError, UnicodeDecodeError, pyarrow.ArrowException):
        return []


def rows_where(file: Path, name: str, value: Any) -> list[Row]:
    """The rows with this value in a column; row groups without it are not read. Raises ImportError without pyarrow."""
    pyarrow = _pyarrow()
    try:
        return list(pyarrow.parquet.read_table(file, filters=[(name, "==", value)]).to_pylist())
    except (OSError, KeyError, UnicodeDecodeError, pyarrow.ArrowException):
        return []


def _rows(file: Path, *, first_only: bool) -> list[Row] | None:
    pyarrow = _pyarrow()
    try:
        with pyarrow.parquet.ParquetFile(file) as table:
            batches = table.iter_batches(batch_size=1 if first_only else 4096)
            found: list[Row] = []
            for batch in batches:
                found += batch.to_pylist()
                if first_only:
                    break
    except (OSError, UnicodeDecodeError, pyarrow.ArrowException):  # gone, or still being written
        return None
    return found


def _pyarrow() -> Any:
    try:
        import pyarrow  # noqa: PLC0415 - heavy, and only this format needs it
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(INSTALL) from error
    return pyarrow
