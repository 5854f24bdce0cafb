"""How much is read of what somebody else wrote: every bound, with its reason."""

WHOLE_FILE_BYTES = 64_000_000
"""Of a file that is decoded as a whole: a million rows of trainer_state.json; decoded it takes ten times as much."""

YAML_BYTES = 1_000_000
"""Of a YAML or TOML file of settings, which take kilobytes."""

YAML_NODES, YAML_DEPTH = 100_000, 100
"""Values of a YAML document, with its references followed, and how deep they nest: PyYAML reads 50,000 a second."""

JSON_DEPTH = 100
"""How deep a JSON value may nest. What reads values recurses, and Python's limit is ten times this."""

SPAN_BYTES = 256_000_000
"""Of the samples of one step in one file; with a file per step, of this file."""

LINE_BYTES = 32_000_000
"""Of one line of a growing text: a row of a million metrics takes 20 MB. A longer one is skipped and counted."""

RECORD_BYTES = 64_000_000
"""Of one record of a binary log; the largest that trainers write are pictures of some MB, which are not read."""

HOLE_BYTES = 64_000_000
"""Of a stretch that a file declares and its disk does not hold: nobody logs that many zeros, so reading stops there."""

POLL_BYTES = 16_000_000_000
"""Of one file at one poll: what is left is read at the next one."""

BEGINNING_BYTES, BEGINNING_ROWS = 400_000, 500
"""Of a file and of a database whose beginning tells which training wrote it: dozens of rows of a hundred metrics."""

POLL_SECONDS = 300.0
"""For reading one log at one poll. At 100 MB/s, the slowest format, this is 30 GB."""

SAMPLE_ROWS = 10_000
"""Of the completions of one step: several times the largest batches."""

TABLE_CELLS = 500_000
"""Of a parquet table, or as many as its file has bytes: a number takes a byte or more, unless it repeats for ever."""

TABLE_BYTES = 256_000_000
"""Of a parquet table in memory, before its cells become Python objects."""

FOLDER_FILES = 1_000
"""Of one kind in one folder that are looked into for logs: each may be a run, and takes some milliseconds."""

STEP_FILES = 100_000
"""Of the completions of one training, a file a step, which are opened only when somebody asks for the step."""

FOLDERS, FOLDER_DEPTH = 1_000_000, 64
"""Of a search for runs: a home folder with data sets holds some hundred thousand."""

SEARCH_SECONDS = 300.0
"""For a search for runs; what was found until then counts."""

UPLOAD_BYTES = 2_000_000_000
"""Of what an archive unpacks to, and of the files dropped beside it: weeks of logs without weights."""

UPLOAD_FILES = 20_000
"""Of an archive: a file of samples for each step of a long training, and its logs."""

UPLOAD_DEPTH = 32
"""Folders inside each other in an archive; those of trainers nest up to ten deep."""

UPLOAD_RATIO, UPLOAD_FREE_BYTES = 200, 16_000_000
"""How many times as large as its packed form an archive may get, beyond the first bytes: text packs twenty-fold."""

ARCHIVE_READ_BYTES = 8_000_000
"""Of one read of an archive: its table of contents is read at once, and takes 50 bytes and a name for each file."""

UPLOAD_SECONDS = 300.0
"""For unpacking an archive."""

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def size_in_words(size: int) -> str:
    """A number of bytes as people write it: `64 MB`, `3.1 GB`."""
    unit, amount = 0, float(size)
    while amount >= 999.5 and unit < len(_UNITS) - 1:
        unit, amount = unit + 1, amount / 1000
    words = f"{amount:.1f}" if amount < 9.95 else f"{amount:.0f}"
    return f"{words.removesuffix('.0')} {_UNITS[unit]}"
