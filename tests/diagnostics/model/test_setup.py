"""Tests of what a setup tells: versions as numbers."""

import pytest

from diagnostics.model.setup import version_of


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("1.16.0.dev0", (1, 16, 0)),
        ("v1", None),
        (None, None),
        ("7" * 10_000, (777_777_777,)),
    ],
)
def test_a_version_is_its_leading_numbers(text: str | None, version: tuple[int, ...] | None) -> None:
    assert version_of(text) == version
