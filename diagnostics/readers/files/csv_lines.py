"""CSV line by line: a quote that is never closed costs its own line, not the rest of the file."""

import csv


def cells(line: str) -> list[str]:
    """The cells of one line; none if it is not CSV or a cell exceeds the limit of Python's reader."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []
