"""A short run of the readers' fuzzer, and a check that it detects failures."""

from pathlib import Path

import pytest

from diagnostics.readers.base import FORMATS
from diagnostics.readers.tables import metric_tables
from tests.fuzz.readers import failure, fuzz
from tests.fuzz.seeds import SEEDS

SHORT = range(500)


def test_every_format_has_a_seed() -> None:
    assert {form.name for form in FORMATS} == set(SEEDS)


@pytest.mark.process
def test_a_damaged_file_becomes_a_run_or_a_clear_error() -> None:
    assert fuzz(SHORT, list(SEEDS)) == []


def test_a_reader_that_raises_anything_else_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed in SEEDS["table"]:
        seed(tmp_path)
    monkeypatch.setattr(metric_tables, "STEP_NAMES", None)

    assert "Error" in failure(tmp_path)
