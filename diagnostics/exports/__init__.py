"""Exports: all points and samples of a run, in forms that other programs read."""

from diagnostics.exports.parquet import ParquetMissing
from diagnostics.exports.samples import SAMPLE_FORMS, samples_as_lines, write_samples
from diagnostics.exports.series import SERIES_FORMS, series_as_csv, series_as_lines, write_series

__all__ = [
    "SAMPLE_FORMS",
    "SERIES_FORMS",
    "ParquetMissing",
    "samples_as_lines",
    "series_as_csv",
    "series_as_lines",
    "write_samples",
    "write_series",
]
