"""Parquet files: the one door to pyarrow, which only they need."""

from pathlib import Path
from typing import Any

INSTALL = "parquet files need pyarrow, which is not installed; run: pip install 'rlvitals[data]'"
Row = dict[str, Any]


def read_rows(file: Path) -> list[Row]:
    """Every row; none where the file is gone, torn or no parquet. Raises ImportError without pyarrow."""
    return _rows(file, first_only=False)


def first_row(file: Path) -> Row | None:
    """The first row; None where there is none to be had, pyarrow included."""
    try:
        return next(iter(_rows(file, first_only=True)), None)
    except ImportError:
        return None


def _rows(file: Path, *, first_only: bool) -> list[Row]:
    try:
        import pyarrow  # noqa: PLC0415 - heavy, and only this format needs it
        import pyarrow.parquet  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(INSTALL) from error
    try:
        with pyarrow.parquet.ParquetFile(file) as table:
            batches = table.iter_batches(batch_size=1 if first_only else 4096)
            found: list[Row] = []
            for batch in batches:
                found += batch.to_pylist()
                if first_only:
                    break
    except (OSError, UnicodeDecodeError, pyarrow.ArrowException):  # gone, or still being written
        return []
    return found
