"""The settings of a run, what was chosen before what is a default, and where the run was read from."""

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from app.load.default_settings import default_settings
from app.widgets.markdown import escaped
from diagnostics.addresses import shown
from diagnostics.language import _, ngettext
from diagnostics.model.run import Run
from diagnostics.visible_text import one_line
from diagnostics.wording.times import date_and_time
from diagnostics.wording.values import setting_text

_NO_DEFAULT = object()


def config(run: Run) -> None:
    """Draw the settings as tables, and the run's origin beside them."""
    settings, origin = st.columns([3, 2], gap="medium")
    with settings:
        if run.config:
            _settings(run.config, default_settings(run))
        else:
            st.caption(_("The log holds no configuration."))
    with origin:
        facts = {
            _("run id"): run.run_id,
            _("folder"): shown(run.path),
            _("created"): date_and_time(run.created),
            _("relaunched from"): run.parent or "",
            **{source.format: shown(source.path) for source in run.sources},
        }
        st.dataframe(
            pd.DataFrame([(name, one_line(fact)) for name, fact in facts.items() if fact], columns=[_("origin"), " "]),
            hide_index=True,
            key="config.origin",
        )


def chosen_settings(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """The settings that are known to differ from their defaults."""
    return {name: value for name, value in given.items() if name in defaults and not _is_default(name, value, defaults)}


def _settings(given: Mapping[str, Any], defaults: Mapping[str, Any]) -> None:
    """Three tables: what differs from its default, what has one that is not known, what is as it comes."""
    chosen = chosen_settings(given, defaults)
    unknown = {name: value for name, value in given.items() if name not in defaults}
    as_it_comes = {name: value for name, value in given.items() if name not in {*chosen, *unknown}}
    if chosen:
        words = ngettext("**{count} setting chosen**", "**{count} settings chosen**", len(chosen))
        st.markdown(words.format(count=escaped(f"{len(chosen):,}")))
        _table(chosen, "config.chosen", {name: defaults[name] for name in chosen})
    if unknown:
        words = ngettext(
            "**{count} setting** whose default is not known",
            "**{count} settings** whose default is not known",
            len(unknown),
        )
        st.markdown(words.format(count=escaped(f"{len(unknown):,}")))
        _table(unknown, "config.table")
    if as_it_comes:
        words = ngettext("{count} default left as they are", "{count} defaults left as they are", len(as_it_comes))
        with st.expander(words.format(count=f"{len(as_it_comes):,}"), key="config.defaults"):
            _table(as_it_comes, "config.as_it_comes")


def _is_default(name: str, value: Any, defaults: Mapping[str, Any]) -> bool:
    """Whether a value is the default, however its file wrote it: 1e-06 and 0.000001, a list and a tuple."""
    default = defaults.get(name, _NO_DEFAULT)
    return value == default or _text(value) == _text(default)


def _table(settings: Mapping[str, Any], key: str, defaults: Mapping[str, Any] | None = None) -> None:
    columns = {_("setting"): list(map(one_line, settings)), _("value"): [_text(value) for value in settings.values()]}
    if defaults is not None:
        columns[_("default")] = [_text(value) for value in defaults.values()]
    st.dataframe(pd.DataFrame(columns), hide_index=True, key=key, height="content")


def _text(value: object) -> str:
    return _("not set") if value is None else one_line(setting_text(value))
