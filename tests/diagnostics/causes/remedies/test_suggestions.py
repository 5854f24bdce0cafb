"""Tests of values that follow from the current one."""

from collections.abc import Callable
from typing import Any

import pytest

from diagnostics.causes.remedies.suggestions import multiply_by
from diagnostics.model.run import Run

MakeRun = Callable[..., Run]


@pytest.mark.parametrize(("current", "better"), [(8, 16), (0.3, 0.6), (True, None), ("8", None), (10**400, None)])
def test_a_multiple_is_suggested_of_numbers_alone(make_run: MakeRun, current: Any, better: Any) -> None:
    assert multiply_by(2)(current, make_run("grpo", reward="0x9")) == better
