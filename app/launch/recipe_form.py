"""The form of a launch recipe on the Launch page: its parameters, its command word by word, and the start."""

import shlex
from collections.abc import Mapping
from pathlib import Path

import streamlit as st

from app import state
from app.launch.draft import name_problem
from app.launch.fields import COLUMNS, show_problem
from app.widgets.markdown import escaped
from app.widgets.queued import waiting_line
from diagnostics.language import _
from diagnostics.visible_text import one_line
from trainer.launch import LaunchError
from trainer.launch.new_run import free_name
from trainer.launch.queue import Queue, State
from trainer.launch.queue.submitting import start
from trainer.launch.recipes import Kind, LaunchRecipe, Parameter, recipe_named

_RECIPE, _NAME, _STARTED, _REFUSAL = "recipe.name", "recipe.run", "recipe.started", "recipe.refusal"
BUTTON = "recipe.start"


def recipe_form(recipes: Mapping[str, LaunchRecipe], root: Path, to_open: str, is_read_only: bool) -> None:
    """Draw the form of one of the recipes; the run that it starts is named in the session's `to_open`."""
    form, outlook = st.columns([3, 2], gap="large")
    with form:
        recipe = _chosen(recipes)
        given = _fields(recipe)
    with outlook:
        name = _run_name(root, recipe.name)
        problem = name_problem(name)
        try:
            command = shlex.join(recipe.argv(given, root / name))
        except LaunchError as error:
            problem = str(error)
        else:
            st.code(one_line(command), language="bash", wrap_lines=True)
            st.caption(_("Run in {folder}, without a shell.").format(folder=escaped(str(recipe.cwd))))
        _start_button(recipe, given, root / name, to_open, problem, is_read_only)


def _chosen(recipes: Mapping[str, LaunchRecipe]) -> LaunchRecipe:
    named = st.selectbox(
        _("Recipe"),
        list(recipes),
        format_func=lambda name: one_line(recipes[name].title or name),
        key=_RECIPE,
    )
    recipe = recipes[named]
    if recipe.help:
        st.caption(escaped(recipe.help))
    return recipe


def _fields(recipe: LaunchRecipe) -> dict[str, str]:
    """The values that stand in the form; an empty field gives none, so that a value that is needed is asked for."""
    given: dict[str, str] = {}
    parameters = list(recipe.parameters.values())
    for place in range(0, len(parameters), COLUMNS):
        row = parameters[place : place + COLUMNS]
        for column, parameter in zip(st.columns(COLUMNS), row, strict=False):
            with column:
                if value := _field(parameter, f"recipe.{recipe.name}.{parameter.name}"):
                    given[parameter.name] = value
    return given


def _field(parameter: Parameter, key: str) -> str:
    hint = escaped(" ".join(filter(None, (parameter.help, f"({parameter.bounds})"))))
    label, default = escaped(parameter.name), parameter.default or ""
    if parameter.kind in (Kind.BOOL, Kind.CHOICE):
        choices = ["true", "false"] if parameter.kind is Kind.BOOL else list(parameter.choices)
        index = choices.index(default) if default in choices else None
        return st.selectbox(label, choices, index=index, format_func=one_line, help=hint, key=key) or ""
    value = st.text_input(label, value=default, help=hint, key=key).strip()
    if value:
        try:
            parameter.word(value)
        except LaunchError as error:
            show_problem(str(error))
    return value


def _run_name(root: Path, stem: str) -> str:
    free = free_name(root, stem)
    words = _("Name of the run and of its folder below {folder}; empty: the next free one.")
    typed = st.text_input(
        _("Run name"), placeholder=free, help=words.format(folder=escaped(str(root))), key=_NAME
    ).strip()
    return typed or free


def _start_button(
    recipe: LaunchRecipe, given: Mapping[str, str], run_dir: Path, to_open: str, problem: str | None, is_read_only: bool
) -> None:
    if is_read_only:
        st.info(_("This dashboard is read-only and starts no training; the command works in a terminal."))
    else:
        arguments = (recipe.name, dict(given), run_dir, to_open)
        disabled = problem is not None
        st.button(_("Start training"), type="primary", disabled=disabled, on_click=_start, args=arguments, key=BUTTON)
    if started := st.session_state.get(_STARTED):
        waiting_line(started)
    if sentence := problem or st.session_state.pop(_REFUSAL, None):
        show_problem(_("Cannot start: {reason}.").format(reason=sentence))


def _start(name: str, given: dict[str, str], run_dir: Path, to_open: str) -> None:
    """Start it once: the file is read again, and the second click of a double click finds what the first started."""
    if state.is_read_only() or st.session_state.get(_STARTED) == run_dir:
        return
    queue = Queue.of_user()
    try:
        if problem := name_problem(run_dir.name):
            raise LaunchError(problem)
        if run_dir.exists():
            raise LaunchError(_("{folder} is there already; choose another run name").format(folder=run_dir))
        spec = recipe_named(name).spec(given, run_dir, queue.slots().usual)
        run_dir.mkdir(parents=True)
        job = start(spec, queue)
    except (LaunchError, OSError) as error:
        st.session_state[_REFUSAL] = str(error)
        return
    st.session_state[_STARTED] = run_dir
    state.show_new_run(run_dir)
    if job.state is not State.QUEUED:
        st.session_state[to_open] = run_dir
