"""A job of the queue once more, with some of its arguments changed."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from trainer.launch.error import LaunchError
from trainer.launch.new_run import free_name
from trainer.launch.queue.job import Spec
from trainer.launch.queue.submitting import training_spec
from trainer.launch.recipes import recipe_named

_NUMBER = re.compile(r"-\d+$")


def clone(spec: Spec, changes: Sequence[str]) -> Spec:
    """The same in a new folder beside its run; `changes` are further arguments, and a later one wins over an earlier.

    Those of a launch recipe are NAME=VALUE.

    Raises:
        LaunchError: It resumes a run, and its arguments are that run's own, or a value is out of its recipe's bounds.
    """
    if spec.recipe:
        pairs = [word.removeprefix("--").partition("=") for word in changes]
        if wrong := [word for word, (_name, sign, _value) in zip(changes, pairs, strict=True) if not sign]:
            raise LaunchError(f"{wrong[0]!r} sets nothing; a recipe's changes are written NAME=VALUE")
        given = {**spec.given, **{name: value for name, _sign, value in pairs}}
        recipe = recipe_named(spec.recipe)
        recipe.words_of(given)
        return recipe.spec(given, _sibling(spec), spec.asks)
    if not spec.is_training:
        words = (*spec.words, *changes)
        return replace(spec, words=words, argv=words)
    if "--resume" in spec.words:
        raise LaunchError(f"{spec.name} goes on with a run as it is; relaunch it with: rlvitals train --from RUN")
    return replace(training_spec((*spec.words, *changes), _sibling(spec), spec.asks), cwd=spec.cwd)


def _sibling(spec: Spec) -> Path:
    """A free folder beside the run's."""
    folder = spec.run_dir or Path.cwd() / spec.name
    return folder.parent / free_name(folder.parent, _NUMBER.sub("", folder.name))
