"""The app never loads the libraries that train."""

import subprocess
import sys

import pytest

pytestmark = pytest.mark.process

MODULES = "app.views.runs, app.views.run, app.views.launch, app.load.runs, app.state, app.figures.curve"


def test_no_page_imports_torch_transformers_or_accelerate() -> None:
    code = f"import sys, {MODULES}; print(sorted({{'torch', 'transformers', 'accelerate'}} & set(sys.modules)))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


def test_figures_do_not_know_streamlit() -> None:
    code = "import sys, app.figures.curve, app.figures.sparkline; print('streamlit' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
