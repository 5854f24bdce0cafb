"""Tests of `import rlvitals`: what it holds, what it costs, and what it says where a name is hidden."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import rlvitals
from diagnostics import api, runlog
from diagnostics.callback import DiagnosisCallback


def test_each_public_name_is_the_one_of_its_room() -> None:
    assert (rlvitals.open_run, rlvitals.find_runs, rlvitals.watch) == (api.open_run, api.find_runs, api.watch)
    assert (rlvitals.diagnose, rlvitals.RunLog, rlvitals.DiagnosisCallback) == (
        api.diagnose,
        runlog.RunLog,
        DiagnosisCallback,
    )
    assert all(getattr(rlvitals, name) is not None for name in rlvitals.__all__)
    assert set(rlvitals.__all__) <= set(dir(rlvitals))
    with pytest.raises(AttributeError, match="has no attribute 'open_runs'"):
        _ = rlvitals.open_runs


def test_star_brings_exactly_the_public_names() -> None:
    there: dict[str, object] = {}
    exec("from rlvitals import *", there)
    assert set(rlvitals.__all__) == there.keys() - {"__builtins__"}
    assert importlib.import_module("rlvitals") is rlvitals


@pytest.mark.process
def test_importing_it_loads_nothing_else_of_ours_and_no_numpy() -> None:
    program = "import sys, rlvitals; print(*{name.split('.')[0] for name in sys.modules})"
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    assert {"rlvitals"} == {"rlvitals", "diagnostics", "trainer", "app", "numpy", "torch"} & set(loaded.stdout.split())


@pytest.mark.process
def test_a_module_that_hides_one_of_ours_is_named(tmp_path: Path) -> None:
    (tmp_path / "diagnostics.py").write_text("")
    program = "import rlvitals\ntry:\n    rlvitals.open_run\nexcept ImportError as error:\n    print(error)"
    (tmp_path / "script.py").write_text(program)
    script = [sys.executable, "script.py"]  # the folder of a script comes before all others
    said = subprocess.run(script, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=60).stdout
    expected = "hides rlvitals' own package 'diagnostics'; rename it, or take its folder off the path"
    assert said == f"{tmp_path / 'diagnostics.py'} {expected}\n"
