"""The fields of the Launch form."""

from collections import Counter

import pytest
from streamlit.testing.v1 import AppTest

from app.launch.draft import launch_options
from trainer.config.algorithms import ALGORITHMS


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_every_option_has_one_field(launch: AppTest, algorithm: str) -> None:
    launch.button_group(key="launch.algorithm").set_value(algorithm).run()
    assert not launch.exception

    kinds = (launch.text_input, launch.selectbox, launch.multiselect)
    fields = Counter(
        field.label for kind in kinds for field in kind if str(field.key).startswith(f"launch.{algorithm}.")
    )

    assert fields == Counter(option.name for option in launch_options(algorithm))
