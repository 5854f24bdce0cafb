"""The page of faults, written by `python benchmarks/faults.py`, matches the library."""

from pathlib import Path

import pytest

from benchmarks.faults import Measured, page
from trainer.faults import FAULTS, Case, Fault
from trainer.faults.listing import values_as_text

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "faults.md"
CASES = [(fault, case) for fault in FAULTS.values() for case in fault.cases]


@pytest.mark.parametrize(("fault", "case"), CASES, ids=[f"{f.name}-{c.algorithm}-{c.task}" for f, c in CASES])
def test_the_page_holds_every_case_as_the_library_has_it(fault: Fault, case: Case) -> None:
    section = PAGE.read_text("utf-8").partition(f"## {fault.name}\n")[2].partition("\n## ")[0]
    assert f"True cause: `{fault.cause}`" in section
    assert f"| {case.algorithm} {case.task} | `{values_as_text(case)}` | `{case.sign.metric}` {case.sign} |" in section


def test_the_page_gives_figures_and_says_where_a_fault_did_not_take() -> None:
    fault = FAULTS["reward-scale"]
    case = fault.case("grpo", "addition")
    assert case is not None
    written = page([Measured(fault, case, 0.25, 0.5, 0.75, took, 1.0) for took in (True, False)])
    assert "| 20 | 0.25 | 0.5 | 0.75 | yes |" in written
    assert "| 20 | 0.25 | 0.5 | 0.75 | no |" in written
