"""Tests of what is installed: the wheel's contents and the cost of importing."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[1]
HEAVY = {"torch", "transformers", "accelerate", "streamlit", "plotly", "pandas", "wandb", "tensorboard"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, timeout=120)
    (path,) = folder.glob("rlvitals-*.whl")
    return zipfile.ZipFile(path)


def test_the_wheel_holds_exactly_the_four_packages(wheel: zipfile.ZipFile) -> None:
    top = {name.split("/")[0] for name in wheel.namelist()}
    assert {name for name in top if not name.endswith(".dist-info")} == {"app", "diagnostics", "rlvitals", "trainer"}
    assert {"rlvitals/py.typed", "diagnostics/py.typed"} <= set(wheel.namelist())


def test_the_wheel_brings_the_demo_checkpoints(wheel: zipfile.ZipFile) -> None:
    weights = [name for name in wheel.namelist() if name.endswith(".safetensors")]
    assert len(weights) == 3
    assert all(wheel.getinfo(name).file_size < 1_000_000 for name in weights)


def test_the_wheel_brings_the_translations(wheel: zipfile.ZipFile) -> None:
    brought = {name for name in wheel.namelist() if name.endswith(".mo")}
    assert {path.relative_to(ROOT).as_posix() for path in (ROOT / "diagnostics/locale").rglob("*.mo")} == brought


def test_the_wheel_brings_the_skill(wheel: zipfile.ZipFile) -> None:
    assert "diagnostics/cli/skill/SKILL.md" in wheel.namelist()


def test_the_wheel_is_marked_as_private(wheel: zipfile.ZipFile) -> None:
    (metadata,) = [name for name in wheel.namelist() if name.endswith("METADATA")]
    assert "Private :: Do Not Upload" in wheel.read(metadata).decode()


def test_importing_the_interface_brings_no_heavy_library_along() -> None:
    program = "import sys, diagnostics.api; print(*{name.split('.')[0] for name in sys.modules})"
    imported = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True, timeout=60)
    assert HEAVY & set(imported.stdout.split()) == set()
