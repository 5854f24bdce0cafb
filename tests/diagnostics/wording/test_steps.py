"""How far a run is."""

from dataclasses import replace

from diagnostics.model.diagnosis import Diagnosis
from diagnostics.model.status import Status
from diagnostics.wording.steps import progress


def test_progress_names_the_total_where_it_is_known(broken_critic: Diagnosis) -> None:
    run = broken_critic.run
    with_total, without = (replace(run, status=Status("running", total=total)) for total in (100, None))
    assert [progress(with_total), progress(with_total, short=True)] == ["step 20 of 100", "step 20/100"]
    assert [progress(without), progress(without, short=True)] == ["step 20", "step 20"]
