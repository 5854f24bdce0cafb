"""The README's tables of parity and speed are those of the committed results."""

import pytest

from benchmarks.quoted import README, RESULTS, parity_tables, with_tables


def test_the_readme_has_the_tables_of_the_committed_results() -> None:
    readme = README.read_text("utf-8")
    assert with_tables(readme) == readme, "run: python -m benchmarks.quoted"


def test_every_metric_of_identical_rollouts_is_quoted() -> None:
    page = (RESULTS / "trl_parity.md").read_text("utf-8")
    rollouts = page.partition("## GRPO learning curves")[0]
    metrics = [line.split("|")[1] for line in rollouts.splitlines() if line.startswith("| `")]
    assert len(metrics) > 40
    quoted = [line.split("|")[1] for line in parity_tables(page) if line.startswith("| `")]
    assert quoted == metrics


def test_a_readme_without_a_place_for_them_is_told() -> None:
    with pytest.raises(LookupError, match="no place for the tables of parity"):
        with_tables("# a readme\n")
