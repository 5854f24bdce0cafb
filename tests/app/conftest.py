"""The Launch page without a browser: fixtures shared by tests of the app."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest


def page(root: str, is_read_only: bool) -> None:
    """The script run by AppTest: it may use only what it imports itself."""
    from pathlib import Path  # noqa: PLC0415

    import streamlit as st  # noqa: PLC0415

    from app.views import launch  # noqa: PLC0415

    def open_run(run_dir: Path) -> None:
        st.text(f"opened {run_dir.name}")
        st.stop()

    launch.render(Path(root), open_run, is_read_only)


@pytest.fixture(autouse=True)
def _the_main_module_stays() -> Iterator[None]:
    """AppTest puts its script in the place of `__main__`, which any process that another test starts would then run."""
    main = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = main


@pytest.fixture
def open_launch(tmp_path: Path) -> Callable[..., AppTest]:
    """Opens the Launch page on tmp_path."""

    def open_one(*, is_read_only: bool = False) -> AppTest:
        kwargs = {"root": str(tmp_path), "is_read_only": is_read_only}
        return AppTest.from_function(page, kwargs=kwargs, default_timeout=30).run()

    return open_one


@pytest.fixture
def launch(open_launch: Callable[..., AppTest]) -> AppTest:
    """The Launch page as seen by a user who may start trainings."""
    return open_launch()


@pytest.fixture(autouse=True)
def _every_folder_is_shown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no test names folders; a real dashboard gets its own from its command line."""
    if "browser" not in request.path.parts:
        monkeypatch.setenv("RLVITALS_PATHS", "/")
