import json

import pytest

from trainer.config.algorithms import make_config
from trainer.data.prompts import Prompts, load_prompts

ROWS = [{"prompt": str(number)} for number in range(10)]


def test_every_row_comes_once_before_any_comes_again():
    prompts = Prompts(ROWS, seed=1)
    drawn = prompts.draw(7) + prompts.draw(7)
    assert sorted(row["prompt"] for row in drawn[:10]) == [row["prompt"] for row in ROWS]


def test_the_seed_fixes_the_order():
    assert Prompts(ROWS, 1).draw(25) == Prompts(ROWS, 1).draw(25)
    assert Prompts(ROWS, 1).draw(10) != Prompts(ROWS, 2).draw(10)


@pytest.mark.parametrize("drawn_before", [0, 3, 10, 27])
def test_from_a_saved_state_the_same_rows_come_next(drawn_before):
    prompts = Prompts(ROWS, 1)
    prompts.draw(drawn_before)
    state = json.loads(json.dumps(prompts.state_dict()))  # plain data: any way of saving preserves it
    again = Prompts(ROWS, 99)
    again.load_state_dict(state)
    assert [again.draw(7) for _ in range(4)] == [prompts.draw(7) for _ in range(4)]


def test_a_state_of_other_rows_is_refused():
    with pytest.raises(ValueError, match="had 10 rows when this state was saved and has 9 now"):
        Prompts(ROWS[:9], 1).load_state_dict(Prompts(ROWS, 1).state_dict())


def test_a_demo_task_needs_no_dataset():
    assert {"prompt", "answer"} <= load_prompts(make_config("grpo", {"task": "addition"})).draw(1)[0].keys()
