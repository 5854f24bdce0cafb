"""Where a training is to run on the Launch page: this machine, or a cluster with what is asked of it."""

from collections.abc import Callable
from pathlib import Path

import streamlit as st

from app.languages import fragment
from app.launch.fields import COLUMNS, show_problem
from app.widgets.markdown import escaped
from diagnostics.language import N_, _
from diagnostics.wording.cluster_jobs import job_sentence
from trainer.config.options import ConfigError
from trainer.launch import LaunchError, stop
from trainer.launch.executors import EXECUTORS, Executor, JobState, RayExecutor, Resources, SlurmExecutor
from trainer.launch.executors.resources import RESOURCE_HELP
from trainer.launch.submission import EXECUTOR, LOCAL, JobReport, reports_below

WHERE = "launch.where"
_TITLES = {LOCAL: N_("This machine"), SlurmExecutor.name: N_("Slurm"), RayExecutor.name: N_("Ray")}
_MAIN = ("nodes", "gpus_per_node", "cpus_per_task", "mem", "time", "partition")
_LOOK_SECONDS = 15.0  # each look asks the cluster's controller


def place() -> dict[str, str]:
    """Draw the choice and, for a cluster, a field for each resource. What is asked by name; nothing for this machine.

    Where this machine can talk to no cluster there is no choice to draw.
    """
    clusters = _clusters_here()
    if not clusters:
        return {}
    choices = [LOCAL, *(executor.name for executor in clusters)]
    where = st.segmented_control(
        _("On"), choices, format_func=lambda name: _(_TITLES[name]), default=LOCAL, required=True, key=WHERE
    )
    if where == LOCAL:
        return {}
    executor = EXECUTORS[where]
    if lack := executor.missing():
        show_problem(lack)
    asked = _resource_fields(tuple(name for name in _MAIN if name in executor.takes))
    with st.expander(_("More that the cluster may ask"), key="group.cluster"):
        asked |= _resource_fields(tuple(name for name in executor.takes if name not in _MAIN))
    return {EXECUTOR: where, **{name: word for name, word in asked.items() if word}}


def jobs_below(root: Path, show: Callable[[Path], None], is_read_only: bool) -> None:
    """Draw the jobs that wait or train below this folder, as they are now and again every few seconds.

    `show` is told which run the user wants to see.
    """
    if _clusters_here():
        fragment(_draw_jobs, run_every=_LOOK_SECONDS)(root, show, is_read_only)


def _clusters_here() -> list[type[Executor]]:
    """The executors whose clusters this machine can talk to."""
    return [executor for executor in EXECUTORS.values() if executor.is_here()]


def _resource_fields(names: tuple[str, ...]) -> dict[str, str]:
    words: dict[str, str] = {}
    for start in range(0, len(names), COLUMNS):
        row = names[start : start + COLUMNS]
        for column, name in zip(st.columns(COLUMNS), row, strict=False):
            with column:
                words[name] = _resource_field(name)
    return words


def _resource_field(name: str) -> str:
    told = RESOURCE_HELP[name]
    key = f"launch.cluster.{name}"
    word = st.text_input(name, placeholder=_(told.unnamed), help=_(told.meaning), key=key).strip()
    try:
        Resources.parse({name: word})
    except ConfigError as error:
        show_problem(str(error))
    return word


def _draw_jobs(root: Path, show: Callable[[Path], None], is_read_only: bool) -> None:
    for report in reports_below([root]):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(escaped(_sentence(report)), width="stretch")
            key = report.record.handle.token
            if report.has_begun and st.button(_("Open"), key=f"launch.open.{key}"):
                show(report.record.run_dir)
                st.rerun(scope="app")
            elif report.status.state is JobState.QUEUED and not is_read_only:
                folder = report.record.run_dir
                st.button(_("Take back"), key=f"launch.take_back.{key}", on_click=_take_back, args=(folder,))


def _sentence(report: JobReport) -> str:
    told = report.to_dict()
    if sentence := job_sentence(told):
        return sentence
    return _("{path}: {job} trains").format(path=told["run_dir"], job=told["title"])


def _take_back(run_dir: Path) -> None:
    try:
        stop(run_dir)
    except LaunchError as error:
        st.toast(escaped(str(error)))
