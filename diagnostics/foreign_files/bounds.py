"""How much is read of what somebody else wrote: every bound, with its reason."""

WHOLE_FILE_BYTES = 64_000_000
"""Of a file that is decoded as a whole: a million rows of trainer_state.json; decoded it takes ten times as much."""

YAML_BYTES = 1_000_000
"""Of a YAML file: settings take kilobytes, and PyYAML needs a second for this much."""

SPAN_BYTES = 256_000_000
"""Of the samples of one step, which are read as one piece."""

_UNITS = ("bytes", "kB", "MB", "GB", "TB", "PB")


def size_in_words(size: int) -> str:
    """A number of bytes as people write it: `64 MB`, `3.1 GB`."""
    unit, amount = 0, float(size)
    while amount >= 999.5 and unit < len(_UNITS) - 1:
        unit, amount = unit + 1, amount / 1000
    return f"{amount:.1f} {_UNITS[unit]}" if unit and amount < 9.95 and amount % 1 else f"{amount:.0f} {_UNITS[unit]}"
