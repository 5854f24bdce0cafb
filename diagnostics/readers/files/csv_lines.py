"""Lines of CSV, each a row of its own: a quote that is never closed costs its line, not the rest of the file."""

import csv


def cells(line: str) -> list[str]:
    """The cells of one line; none where it is no CSV, or a cell is larger than Python's reader takes."""
    try:
        return next(csv.reader([line]), [])
    except csv.Error:
        return []
