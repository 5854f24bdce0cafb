"""Consent to foreign code on the page: which files would run, and the button that trusts their content."""

from collections.abc import Callable, Iterable
from typing import Any

import streamlit as st

from app import state
from app.widgets.markdown import escaped
from app.widgets.refusal import refusal_line
from diagnostics.language import _
from diagnostics.told import reason
from diagnostics.wording.values import counted
from trainer.config.options import ConfigError
from trainer.config.reward_names import RewardError
from trainer.trust.foreign_code import ForeignCode
from trainer.trust.store import TrustError, TrustStore

_PENDING, _REFUSAL = "foreign_code.pending", "foreign_code.refusal"
_SHOWN_DIGITS = 16


def may_run(find_code: Callable[[], Iterable[ForeignCode]], key: str) -> bool:
    """Whether a callback may go on: all code found is trusted; if not, `consent` with the same key asks for it.

    Never if the dashboard is read-only. The process that would run the code checks it once more: where the code cannot
    be found, as in a run whose files are gone, that process says why.
    """
    if state.is_read_only():
        return False
    try:
        untrusted = TrustStore.of_user().untrusted(find_code())
    except (ConfigError, RewardError):
        return True
    st.session_state[f"{_PENDING}.{key}"] = untrusted
    return not untrusted


def consent(key: str, words: str, go_on: Callable[..., object], args: tuple[Any, ...]) -> None:
    """Draw the question that `may_run` raised, if it did; a yes trusts what is shown and calls `go_on` again.

    Args:
        words: Of the button that trusts and goes on: "Trust and relaunch".
    """
    pending: tuple[ForeignCode, ...] = st.session_state.get(f"{_PENDING}.{key}", ())
    if not pending:
        return
    with st.container(border=True, gap="xsmall"):
        st.markdown(_("**This runs code as you that is not trusted yet.** It can do whatever you can; read it first."))
        for code in pending:
            _describe(code)
        for problem in filter(None, (TrustStore.of_user().problem, st.session_state.get(f"{_REFUSAL}.{key}"))):
            refusal_line(problem)
        with st.container(horizontal=True):
            st.button(words, key=f"trust.{key}", on_click=_trust, args=(key, pending, go_on, args))
            st.button(_("Not now"), key=f"leave.{key}", type="tertiary", on_click=_leave, args=(key,))


def _describe(code: ForeignCode) -> None:
    size = counted(code.size, "byte") if code.size else ""
    facts = " · ".join(escaped(fact) for fact in (_(code.kind), size) if fact)
    st.markdown(f"{facts} · sha256 `{code.sha256[:_SHOWN_DIGITS]}…`")
    st.code(f"{code.place}\n{code.beginning}".rstrip(), language=None, wrap_lines=True)


def _trust(key: str, shown: tuple[ForeignCode, ...], go_on: Callable[..., object], args: tuple[Any, ...]) -> None:
    """Remember what was shown and go on, which checks again: a file that changed since then is asked about anew."""
    if state.is_read_only():
        return
    try:
        TrustStore.of_user().remember(shown)
    except TrustError as error:
        st.session_state[f"{_REFUSAL}.{key}"] = reason(error)
        return
    _leave(key)
    go_on(*args)


def _leave(key: str) -> None:
    st.session_state.pop(f"{_PENDING}.{key}", None)
    st.session_state.pop(f"{_REFUSAL}.{key}", None)
