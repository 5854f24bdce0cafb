"""A job of the queue, copied into the Launch form: its preset, its algorithm and what stands in each field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from trainer.config.options import ConfigError
from trainer.config.recipes import RECIPES, Recipe, demo_recipe
from trainer.launch.arguments import read_plan
from trainer.launch.queue import Job

PRESET, ALGORITHM = "launch.preset", "launch.algorithm"
KIND, BUNDLED = "launch.kind", "bundled"
"""Whether the form is that of the bundled trainer, or of a launch recipe."""
_EDITED = "launch.edited"


@dataclass(frozen=True, slots=True)
class Edited:
    """What was copied, and from which job."""

    job: int
    algorithm: str
    recipe: Recipe | None
    values: Mapping[str, Any]


def edit(job: Job) -> str | None:
    """Copy a training into the form; for a callback. Gives the reason where its arguments describe none any more."""
    try:
        plan = read_plan(job.spec.words[1:])
    except ConfigError as error:
        return str(error)
    config = plan.config
    own = config.model_name_or_path or config.dataset
    recipe = _named(job.spec.words) or (None if own else demo_recipe(plan.algorithm, config.task))
    st.session_state[_EDITED] = Edited(job.id, plan.algorithm, recipe, config.to_dict())
    if KIND in st.session_state:
        st.session_state[KIND] = BUNDLED
    st.session_state[PRESET] = recipe
    st.session_state[ALGORITHM] = plan.algorithm
    return None


def edited(algorithm: str, recipe: Recipe | None) -> Edited | None:
    """What was copied last, while the form still shows its preset and algorithm."""
    found: Edited | None = st.session_state.get(_EDITED)
    fits = found is not None and (found.algorithm, found.recipe) == (algorithm, recipe)
    return found if fits else None


def _named(words: tuple[str, ...]) -> Recipe | None:
    named = (words[place + 1] for place, word in enumerate(words[:-1]) if word == "--recipe")
    return RECIPES.get(next(named, ""))
