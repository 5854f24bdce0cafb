"""Foreign files: the one door through which logs are read, with bounds on what is read and a way to give up."""

from diagnostics.foreign_files.beginnings import beginning_only, bytes_of_a_poll, rows_of_a_poll
from diagnostics.foreign_files.cancellation import Cancelled, TimedOut, cancelled_when, check_cancelled, time_limit
from diagnostics.foreign_files.confinement import LeadsOutside, check_inside, confine_to
from diagnostics.foreign_files.door import (
    FileTooLarge,
    NotRegularFile,
    hole_after,
    open_regular,
    read_end,
    read_head,
    read_lines,
    read_span,
    read_spans,
    read_text,
    read_whole,
)

__all__ = [
    "Cancelled",
    "FileTooLarge",
    "LeadsOutside",
    "NotRegularFile",
    "TimedOut",
    "beginning_only",
    "bytes_of_a_poll",
    "cancelled_when",
    "check_cancelled",
    "check_inside",
    "confine_to",
    "hole_after",
    "open_regular",
    "read_end",
    "read_head",
    "read_lines",
    "read_span",
    "read_spans",
    "read_text",
    "read_whole",
    "rows_of_a_poll",
    "time_limit",
]
