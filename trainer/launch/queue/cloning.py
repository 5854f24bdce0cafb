"""A job once more, with some of its arguments changed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from trainer.launch.error import LaunchError
from trainer.launch.new_run import free_name
from trainer.launch.queue.job import Spec
from trainer.launch.queue.submitting import training_spec

_NUMBER = re.compile(r"-\d+$")


def clone(spec: Spec, changes: Sequence[str]) -> Spec:
    """The same in a new folder beside its run; `changes` are further arguments, and a later one wins over an earlier.

    Raises:
        LaunchError: It resumes a run, and its arguments are that run's own.
    """
    if not spec.is_training:
        words = (*spec.words, *changes)
        return replace(spec, words=words, argv=words, recipe="", given={}, child_of=None)
    if "--resume" in spec.words:
        raise LaunchError(f"{spec.name} goes on with a run as it is; relaunch it with: rlvitals train --from RUN")
    folder = spec.run_dir or Path.cwd() / spec.name
    sibling = folder.parent / free_name(folder.parent, _NUMBER.sub("", folder.name))
    return replace(training_spec((*spec.words, *changes), sibling, spec.asks), cwd=spec.cwd)
