"""Documents that somebody else wrote."""

import pytest

from diagnostics.foreign_files.bounds import JSON_DEPTH
from diagnostics.foreign_files.documents import parse_json
from diagnostics.readers.files.json_lines import parse_row


def nested(depth: int) -> str:
    return "[" * (depth - 1) + "{}" + "]" * (depth - 1)


@pytest.mark.parametrize("content", [nested(JSON_DEPTH), '"' + "[" * 500 + '"'])
def test_json_within_the_depth_is_read_and_brackets_in_text_do_not_count(content: str) -> None:
    assert parse_json(content) == parse_json(content.encode())


@pytest.mark.parametrize("depth", [JSON_DEPTH + 1, 100_000])
def test_json_that_nests_deeper_is_none(depth: int) -> None:
    with pytest.raises(ValueError, match="nested too deep"):
        parse_json(nested(depth))


def test_a_row_that_nests_too_deep_is_none() -> None:
    deep = nested(JSON_DEPTH).encode()
    assert parse_row(b'{"a": NaN, "b": %b}' % deep) is None
    assert parse_row(b'{"b": %b}' % deep) is None
    assert parse_row(b'{"b": %b}' % nested(JSON_DEPTH - 1).encode()) is not None
