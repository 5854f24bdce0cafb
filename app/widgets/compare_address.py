"""The address of the Compare page: its runs, the baseline first, the prompt, what is shown."""

import hashlib
from collections.abc import Sequence

import streamlit as st

from app import state

PROMPT, SHOWN, FIND = "prompt", "show", "find"
_DIGITS = 12  # of a prompt's hash: a prompt itself may be of any length


def runs() -> tuple[str, ...]:
    """The paths of the runs, each once."""
    return tuple(dict.fromkeys(filter(None, st.query_params.get_all(state.RUN))))


def choose_runs(paths: Sequence[str]) -> None:
    """Write other runs into the address; the first is the baseline."""
    st.query_params[state.RUN] = list(paths)


def prompt_id(query: str) -> str:
    """A prompt in the address."""
    return hashlib.sha256(query.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
