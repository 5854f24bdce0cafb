"""The Launch page: choose what to train, see the exact command, start it and go to the live run."""

import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from app import state
from app.launch.attempt import Tried, attempt, give_up, last_try
from app.launch.draft import (
    Draft,
    base_values,
    launch_options,
    name_problem,
    name_stem,
    preset_for,
    preset_label,
)
from app.launch.edited import ALGORITHM, BUNDLED, KIND, PRESET, edited
from app.launch.fields import Slots, fields, folded_fields, show_problem
from app.launch.place import jobs_below, place
from app.launch.preflight import beside_fields, findings, findings_overview, is_confirmed
from app.launch.queue_section import queue_section
from app.launch.recipe_form import recipe_form
from app.widgets.foreign_code import consent, may_run
from app.widgets.markdown import escaped
from app.widgets.queued import waiting_line
from diagnostics.language import _
from diagnostics.model.outcome import Outcome
from diagnostics.runlog import RUN_FILE
from diagnostics.told import reason
from diagnostics.visible_text import visible
from trainer.config.algorithms import ALGORITHMS
from trainer.config.options import ConfigError
from trainer.config.recipes import RECIPES, Recipe
from trainer.config.training import TrainConfig
from trainer.data.dataset import first_prompts
from trainer.launch import LaunchError
from trainer.launch.arguments import read_plan
from trainer.launch.new_run import free_name, runs_folder
from trainer.launch.queue import Job, State
from trainer.launch.recipes import LaunchRecipe, load_recipes
from trainer.launch.starting import start
from trainer.launch.submission import submit
from trainer.trust.foreign_code import code_in

_NAME = "launch.name"
_BUTTON = "launch.start"
_STARTED, _TO_OPEN, _REFUSAL = "launch.started", "launch.to_open", "launch.refusal"
_WAITS = "launch.waits"  # the folder of the training that was queued last
_RECIPES = "recipes"
_TRAINER_PACKAGES = ("torch", "transformers", "accelerate")
_PROMPTS_SHOWN = 5
_PRESETS: tuple[Recipe | None, ...] = (*RECIPES.values(), None)


def render(shown: Path, open_run: Callable[[Path], None], is_read_only: bool) -> None:
    """Draw the page. New runs go below `shown`, the dashboard's folder; `open_run` goes to a run's page for good."""
    if run_dir := st.session_state.pop(_TO_OPEN, None):
        open_run(run_dir)
    root = runs_folder(shown)
    if recipes := _chosen_recipes():
        recipe_form(recipes, root, _TO_OPEN, is_read_only)
    else:
        _training_form(root, is_read_only)
    queue_section(open_run, is_read_only)


def _chosen_recipes() -> dict[str, LaunchRecipe]:
    """The user's launch recipes where one of them is to be started; else none, as where there is no file of them."""
    try:
        recipes = load_recipes()
    except LaunchError as error:
        show_problem(str(error))
        return {}
    if not recipes:
        return {}
    titles = {BUNDLED: _("The trainer of rlvitals"), _RECIPES: _("Your own scripts")}
    chosen = st.segmented_control(
        _("What is trained"),
        list(titles),
        format_func=lambda name: titles[name],
        key=KIND,
        default=BUNDLED,
        required=True,
        label_visibility="collapsed",
    )
    return recipes if chosen == _RECIPES else {}


def _training_form(root: Path, is_read_only: bool) -> None:
    """The form of a training of the bundled trainer, and what will run."""
    form, outlook = st.columns([3, 2], gap="large")
    with form:
        recipe, algorithm = _preset()
        values, slots = _values(recipe, algorithm)
    tried = last_try()
    found = findings(tried, algorithm, values)
    beside_fields(found, slots)
    with outlook:
        name = _name(root, name_stem(algorithm, recipe, values))
        _training_plan(Draft(algorithm, recipe, values, root, name, place()), tried, found, is_read_only)


def _open(run_dir: Path) -> None:
    st.session_state[_TO_OPEN] = run_dir


def _values(recipe: Recipe | None, algorithm: str) -> tuple[dict[str, Any], Slots]:
    """The options that matter most, the others folded below them; what stands in each, and the place beneath it."""
    copied = edited(algorithm, recipe)
    base = {**base_values(algorithm, recipe), **(copied.values if copied else {})}
    key = f"launch.{algorithm}.{recipe.name if recipe else 'own'}" + (f".{copied.job}" if copied else "")
    options = launch_options(algorithm)
    slots: Slots = {}
    values = fields([option for option in options if option.main], base, key, slots)
    values |= folded_fields([option for option in options if not option.main], base, key, slots)
    return values, slots


def _preset() -> tuple[Recipe | None, str]:
    """The chosen preset and algorithm; choosing either one adapts the other."""
    left, right = st.columns([2, 1])
    recipe: Recipe | None = left.selectbox(
        _("Preset"), _PRESETS, format_func=preset_label, key=PRESET, on_change=_follow_preset
    )
    algorithm: str = right.segmented_control(
        _("Algorithm"),
        ALGORITHMS,
        format_func=str.upper,
        key=ALGORITHM,
        default=next(iter(RECIPES.values())).algorithm,
        required=True,
        on_change=_follow_algorithm,
    )
    own = _("Starts from TRL's defaults; name a model folder, a dataset, or both.")
    st.caption(_(recipe.description) if recipe else own)
    return recipe, algorithm


def _follow_preset() -> None:
    if recipe := st.session_state[PRESET]:
        st.session_state[ALGORITHM] = recipe.algorithm


def _follow_algorithm() -> None:
    st.session_state[PRESET] = preset_for(st.session_state[ALGORITHM], st.session_state[PRESET])


def _name(root: Path, stem: str) -> str:
    """The typed name, else the next free one."""
    free = free_name(root, stem)
    words = _("Name of the run and of its folder below {folder}; empty: the next free one.")
    help_text = words.format(folder=escaped(str(root)))
    name = st.text_input(_("Run name"), placeholder=free, help=help_text, key=_NAME).strip() or free
    if problem := name_problem(name):
        show_problem(problem)
    return name


def _training_plan(draft: Draft, tried: Tried | None, found: tuple[Outcome, ...], is_read_only: bool) -> None:
    """What will run, and the button that runs it or the sentence that says why it cannot."""
    try:
        config = draft.config
        may_read = config.dataset is None or not is_read_only  # a read-only page reads no file that is typed into it
        prompts = _first_prompts(config, config.dataset, config.task, _changed(config.dataset)) if may_read else []
    except ConfigError as error:
        give_up()
        _start_button(draft, reason(error), is_read_only)
        findings_overview(found)
        return
    st.code(draft.command, language="bash", wrap_lines=True)
    _start_button(draft, None, is_read_only, found)
    findings_overview(found)
    if not is_read_only:
        attempt(tried, draft.algorithm, config)
    _plan(draft, config, prompts)


def _plan(draft: Draft, config: TrainConfig, prompts: Sequence[str]) -> None:
    steps, batch = config.total_steps, config.batch_size
    words = _("{steps} steps of {batch} completions, {count} in all.")
    st.caption(words.format(steps=f"{steps:,}", batch=f"{batch:,}", count=f"{steps * batch:,}"))
    if draft.recipe and not draft.recipe.is_healthy:
        st.caption(_("Expected to set off: {rules}.").format(rules=", ".join(draft.recipe.rules)))
    if prompts:
        st.caption(_("Some of its prompts"))
        st.code(visible("\n".join(prompts)), language=None)
    else:
        st.caption(_("Its prompts are loaded by `datasets` when the training starts."))


@st.cache_data(show_spinner=False, max_entries=32)
def _first_prompts(_config: TrainConfig, dataset: str | None, task: str, changed: float | None) -> list[str]:
    """A few of the prompts; a dataset is read again when it has changed. Raises ConfigError for a malformed one."""
    return first_prompts(_config, _PROMPTS_SHOWN)


def _changed(dataset: str | None) -> float | None:
    return Path(dataset).stat().st_mtime if dataset and Path(dataset).exists() else None


def _start_button(draft: Draft, problem: str | None, is_read_only: bool, found: tuple[Outcome, ...] = ()) -> None:
    if is_read_only:
        st.info(_("This dashboard is read-only and starts no training; the command works in a terminal."))
    else:
        problem = _missing_trainer() or problem
        disabled = problem is not None or not is_confirmed(found, draft)
        st.button(_("Start training"), type="primary", disabled=disabled, on_click=_start, args=(draft,), key=_BUTTON)
        if problem is None:
            consent(_question(draft), _("Trust and start"), _start, (draft,))
    if waits := st.session_state.get(_WAITS):
        waiting_line(waits)
    if sentence := problem or st.session_state.pop(_REFUSAL, None):
        show_problem(_("Cannot start: {reason}.").format(reason=sentence))
    jobs_below(draft.root, _open, is_read_only)


def _missing_trainer() -> str | None:
    """The sentence that says what to install; None where training works. Nothing of it is imported."""
    missing = [name for name in _TRAINER_PACKAGES if importlib.util.find_spec(name) is None]
    if not missing:
        return None
    words = _("training needs {packages}, not installed here; install it with: pip install 'rlvitals[trainer]'")
    return words.format(packages=", ".join(missing))


def _question(draft: Draft) -> str:
    """The key of the question whether the draft's code may run; another draft raises another question."""
    return "|".join((_BUTTON, *draft.arguments, *draft.job_words))


def _start(draft: Draft) -> None:
    """Start the training once: the second click of a double click finds the run that the first one started."""
    started: set[Path] = st.session_state.setdefault(_STARTED, set())
    if draft.run_dir not in started:
        if not may_run(lambda: code_in(draft.config), _question(draft)):
            return
        try:
            job = _start_or_submit(draft)
        except (ConfigError, LaunchError) as error:
            st.session_state[_REFUSAL] = reason(error)
            return
        started.add(draft.run_dir)
        state.show_new_run(draft.run_dir)
        give_up()
        if job:
            st.session_state[_WAITS if job.state is State.QUEUED else _TO_OPEN] = draft.run_dir
    elif not draft.is_job and (draft.run_dir / RUN_FILE).exists():
        st.session_state[_TO_OPEN] = draft.run_dir


def _start_or_submit(draft: Draft) -> Job | None:
    """Put it into the queue of this machine, or send it to the cluster, where its turn may come much later."""
    if not draft.is_job:
        return start(draft.arguments, draft.run_dir)
    words = (*draft.arguments[1:], "--run_dir", str(draft.run_dir))
    submit(read_plan(words), words, draft.placement)
    return None
