"""How the Launch form is divided."""

import pytest

from app.launch.draft import launch_options
from app.launch.fields import GROUPS
from trainer.config.training import ALGORITHMS


def test_every_group_names_options_that_exist_and_each_once() -> None:
    named = [name for names in GROUPS.values() for name in names]
    options = {option.name for algorithm in ALGORITHMS for option in launch_options(algorithm)}
    assert set(named) <= options
    assert len(named) == len(set(named))


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_no_option_of_today_is_left_among_the_others(algorithm: str) -> None:
    named = {name for names in GROUPS.values() for name in names}
    assert [option.name for option in launch_options(algorithm) if not option.main and option.name not in named] == []
