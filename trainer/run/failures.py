"""Explains what ended a training: known failures, each with what to do about it. Does not import torch."""

import errno
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from diagnostics.language import N_
from diagnostics.runlog import RunLogError
from diagnostics.told import said, told
from diagnostics.visible_text import visible
from trainer.config.options import ConfigError
from trainer.config.training import TrainConfig
from trainer.launch.several_processes import process_count
from trainer.rewards import RewardError

_OUT_OF_MEMORY = ("out of memory", "can't allocate memory", "cannot allocate memory", "not enough memory")
_FULL_DISK = ("no space left on device", "file write failed")
_OUTSIDE_A_TABLE = "index out of range in self"  # torch's message for an embedding lookup
_LOST_TOUCH = ("connection closed by peer", "connection reset by peer", "connection refused", "broken pipe")


def in_words(error: BaseException, config: TrainConfig, directory: Path) -> str:
    """One sentence for the run's state: what happened and, for a known failure, what to do."""
    if isinstance(error, RewardError) and error.__cause__ is not None and _is_out_of_memory(error.__cause__):
        return told("{problem}; {advice}", problem=_sentence(error), advice=memory_advice(config))
    if isinstance(error, ConfigError | RewardError | RunLogError):
        return _sentence(error)
    if _is_out_of_memory(error):
        return told("out of memory ({problem}); {advice}", problem=_first_line(error), advice=memory_advice(config))
    if _is_full_disk(error):
        words = N_(
            "the disk that holds {folder} is full; free space, then go on with: rlvitals train --resume {folder}"
        )
        return told(words, folder=directory)
    if isinstance(error, OSError) and error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
        words = N_("{place} cannot be written ({problem}); make it writable, or train elsewhere with --run_dir")
        return told(words, place=error.filename or directory, problem=error.strerror)
    if isinstance(error, IndexError) and _OUTSIDE_A_TABLE in str(error):
        words = N_(
            "a token or a position lies outside the model's tables ({problem}): prompt and completion must fit into "
            "its positions together; set max_prompt_length, or fewer new tokens than {most}"
        )
        return told(words, problem=_first_line(error), most=config.max_new_tokens)
    if _is_lost_touch(error):
        words = N_(
            "another process of this training ended without a word: killed, or the machine ran out of memory (its "
            "console.rank*.log may tell more); {advice}"
        )
        return _failure_elsewhere() or told(words, advice=memory_advice(config))
    return f"{type(error).__name__}: {error}"


def _sentence(error: BaseException) -> str:
    """What an error of ours says: in English, for the record, and with the places to say it in another language."""
    return error.args[0] if error.args and isinstance(error.args[0], str) else str(error)


def memory_advice(config: TrainConfig) -> str:
    """What TRL's documentation advises against running out of memory, with the values to change."""
    size, passes = config.per_device_train_batch_size, config.gradient_accumulation_steps
    words = N_(
        "lower per_device_train_batch_size (now {size}) and raise gradient_accumulation_steps (now {passes}) by the "
        "same factor, which leaves the training as it is; with several GPUs, DeepSpeed stage 3 splits the model as well"
    )
    return told(words, size=size, passes=passes)


def print_failure(error: BaseException, words: str) -> None:
    """Print the message, with a traceback unless a setting is to blame; does nothing if stderr cannot be written."""
    with suppress(OSError):
        if not isinstance(error, ConfigError):
            sys.stderr.write(visible("".join(traceback.format_exception(error))))
        sys.stderr.write(f"rlvitals: {visible(said(words))}\n")


def _is_out_of_memory(error: BaseException) -> bool:
    """torch's allocators, including the CPU's, raise RuntimeErrors that can only be told apart by their text."""
    text = str(error).lower()
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(words in text for words in _OUT_OF_MEMORY)
    )


def _is_full_disk(error: BaseException) -> bool:
    """safetensors has its own error for this; torch's zip writer raises another while handling Python's."""
    is_known = isinstance(error, OSError) and error.errno == errno.ENOSPC
    is_known = is_known or any(words in str(error).lower() for words in _FULL_DISK)
    return is_known or (error.__context__ is not None and _is_full_disk(error.__context__))


def _is_lost_touch(error: BaseException) -> bool:
    text = str(error).lower()
    return process_count() > 1 and isinstance(error, RuntimeError) and any(words in text for words in _LOST_TOUCH)


def _failure_elsewhere() -> str | None:
    from trainer.acceleration.parallel.processes import announced_failure  # noqa: PLC0415 - torch, which a training that lost touch has loaded

    return announced_failure()


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)
