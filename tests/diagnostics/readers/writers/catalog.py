"""Every writer: one for each mark of each format, so that the conformance suite covers every reader."""

from tests.diagnostics.readers.writers.databases import MlflowWriter, TrackioWriter
from tests.diagnostics.readers.writers.samples import (
    ArtWriter,
    PrimeWriter,
    RllmWriter,
    RunLogSamplesWriter,
    SampleLogWriter,
    SampleParquetWriter,
    SampleWriter,
    TrackioTablesWriter,
    TrlWriter,
    VerlWriter,
)
from tests.diagnostics.readers.writers.text_logs import (
    BarredProgressWriter,
    ConsoleWriter,
    CsvWriter,
    EpochProgressWriter,
    JsonLinesWriter,
    MlflowFilesWriter,
    NumpyConsoleWriter,
    ProgressJsonWriter,
    ProgressWriter,
    RayConsoleWriter,
    Rl4lmsWriter,
    TorchtuneWriter,
    TsvWriter,
)
from tests.diagnostics.readers.writers.trackers import EventFileWriter, RunLogWriter, SwanlabWriter, WandbWriter
from tests.diagnostics.readers.writers.whole_files import (
    LogHistoryWriter,
    NotebookWriter,
    ParquetWriter,
    TrainerStateWriter,
    WandbExportWriter,
    WandbPageWriter,
)
from tests.diagnostics.readers.writers.writer import MetricWriter

METRIC_WRITERS: tuple[type[MetricWriter], ...] = (
    RunLogWriter,
    EventFileWriter,
    WandbWriter,
    SwanlabWriter,
    MlflowFilesWriter,
    TorchtuneWriter,
    ConsoleWriter,
    RayConsoleWriter,
    NumpyConsoleWriter,
    ProgressWriter,
    EpochProgressWriter,
    BarredProgressWriter,
    Rl4lmsWriter,
    JsonLinesWriter,
    ProgressJsonWriter,
    CsvWriter,
    TsvWriter,
    TrackioWriter,
    MlflowWriter,
    WandbExportWriter,
    TrainerStateWriter,
    ParquetWriter,
    WandbPageWriter,
    LogHistoryWriter,
    NotebookWriter,
)

SAMPLE_WRITERS: tuple[type[SampleWriter], ...] = (
    RunLogSamplesWriter,
    TrackioTablesWriter,
    TrlWriter,
    VerlWriter,
    SampleLogWriter,
    SampleParquetWriter,
    PrimeWriter,
    RllmWriter,
    ArtWriter,
)
