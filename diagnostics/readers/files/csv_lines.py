"""CSV line by line: a quote that is never closed costs its own line, not the rest of the file."""

import csv

_SEPARATORS = ",\t;"


def separator_of(header: str) -> str:
    """What separates the cells of a file with this header: the sign it holds most often, a comma before others."""
    return max(_SEPARATORS, key=header.count)


def cells(line: str, separator: str = ",") -> list[str]:
    """The cells of one line; none if it is not CSV or a cell exceeds the limit of Python's reader."""
    try:
        return next(csv.reader([line], delimiter=separator), [])
    except csv.Error:
        return []
