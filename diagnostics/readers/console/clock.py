"""When a text was printed, by the dates and the durations in it: the time of its file may be that of a copy."""

import re
import time
from pathlib import Path

from diagnostics.readers.console.plain_text import strip_ansi

_DATE = re.compile(  # at the beginning of a line, after a label: texts of a data set are full of dates
    r"\D{0,60}?(?P<date>20\d\d-\d\d-\d\d)[ T](?P<time>\d\d:\d\d:\d\d)|"
    r".{0,200}\brun-(?P<run_date>20\d{6})_(?P<run_time>\d{6})-"  # W&B's folder
)
_ELAPSED = re.compile(r"\[(?:(?P<days>\d{1,4}) days?, )?(?:(?P<hours>\d{1,5}):)?(?P<minutes>\d\d):(?P<seconds>\d\d)<")
_SECONDS_OF_A_COPY = 2.0  # between the making of a file and its last byte
_LEAST_SECONDS = 60.0  # of printing, that a file of a copy did not take
_UNACCOUNTED_SECONDS = 2 * 86400.0  # that a training may go on without printing a date or a duration


class TextClock:
    """The newest date in a text, else when its training `began`, and how long its progress bar ran."""

    def __init__(self, began: float | None) -> None:
        self._date = began
        self._elapsed = 0.0
        self._elapsed_at_date = 0.0

    def feed(self, line: str) -> None:
        """Process the next line of the console."""
        if "<" in line and "[" in line and (bars := list(_ELAPSED.finditer(line))):
            self._elapsed = _duration(bars[-1])
        if "20" in line and (match := _DATE.match(strip_ansi(line))):
            moment = _moment(match)
            if moment is not None:
                self._date, self._elapsed_at_date = moment, self._elapsed

    def written(self, file: Path, modified: float) -> float | None:
        """When the text was last written to: the time of its file, unless that is the time of a copy.

        None where that cannot be known: a copy without a date.
        """
        printed = None if self._date is None else self._date + max(0.0, self._elapsed - self._elapsed_at_date)
        if printed is not None and modified - printed > _UNACCOUNTED_SECONDS:
            return printed
        took = max(self._elapsed, 0.0 if printed is None else modified - printed)
        if took >= _LEAST_SECONDS and abs(modified - _modified(file.parent)) <= _SECONDS_OF_A_COPY:
            return printed
        return modified


def _moment(match: re.Match[str]) -> float | None:
    """The match in seconds since the epoch; the clock is taken for this machine's."""
    digits = "".join(filter(str.isdigit, f"{match['date'] or match['run_date']}{match['time'] or match['run_time']}"))
    try:
        return time.mktime(time.strptime(digits, "%Y%m%d%H%M%S"))
    except (ValueError, OverflowError):
        return None


def _duration(match: re.Match[str]) -> float:
    days, hours, minutes, seconds = (int(match[name] or 0) for name in ("days", "hours", "minutes", "seconds"))
    return ((days * 24 + hours) * 60 + minutes) * 60.0 + seconds


def _modified(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except OSError:
        return 0.0
