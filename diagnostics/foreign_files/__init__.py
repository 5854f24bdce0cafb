"""Foreign files: the one door through which logs are read, with bounds on what is read and a way to give up."""

from diagnostics.foreign_files.cancellation import Cancelled, TimedOut, cancelled_when, check_cancelled, time_limit
from diagnostics.foreign_files.confinement import LeadsOutside, check_inside, confine_to
from diagnostics.foreign_files.door import (
    FileTooLarge,
    NotRegularFile,
    hole_after,
    open_regular,
    read_end,
    read_head,
    read_span,
    read_text,
    read_whole,
)

__all__ = [
    "Cancelled",
    "FileTooLarge",
    "LeadsOutside",
    "NotRegularFile",
    "TimedOut",
    "cancelled_when",
    "check_cancelled",
    "check_inside",
    "confine_to",
    "hole_after",
    "open_regular",
    "read_end",
    "read_head",
    "read_span",
    "read_text",
    "read_whole",
    "time_limit",
]
