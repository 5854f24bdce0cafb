"""Two prompts of three tokens, two completions of each, of two tokens: tokens in a row, and apart again."""

import pytest
import torch

from trainer.acceleration.packing import Packing

PACKING = Packing(prompts=2, prompt_length=3, group=2, length=2)
PROMPTS_PQ = torch.tensor([[10, 11, 12], [20, 21, 22]])
COMPLETIONS_BT = torch.tensor([[13, 14], [15, 16], [23, 24], [25, 26]])
ROW_M = torch.tensor([10, 11, 20, 21, 12, 22, 13, 14, 15, 16, 23, 24, 25, 26])


def test_the_tokens_from_whose_outputs_completions_follow_stand_at_the_end() -> None:
    assert PACKING.concatenated(PROMPTS_PQ, COMPLETIONS_BT).tolist() == ROW_M.tolist()
    assert ROW_M[-PACKING.outputs :].tolist() == [12, 22, 13, 14, 15, 16, 23, 24, 25, 26]
    assert PACKING.longest == 5


@pytest.mark.parametrize("axis", [0, 1])
def test_what_was_put_together_comes_apart(axis: int) -> None:
    prompts, completions, row = (
        torch.stack([part, -part], 1 - axis if part is ROW_M else 2 * (1 - axis))
        for part in (PROMPTS_PQ, COMPLETIONS_BT, ROW_M)
    )
    assert PACKING.concatenated(prompts, completions, axis).equal(row)
    assert PACKING.prompts_of(row, axis).equal(prompts)
    assert PACKING.completions_of(row, axis).equal(completions)


def test_at_the_end_of_the_row_prompts_have_one_token() -> None:
    assert PACKING.prompts_of(ROW_M[-PACKING.outputs :]).tolist() == [[12], [22]]
    assert PACKING.completions_of(ROW_M[-PACKING.outputs :]).equal(COMPLETIONS_BT)


@pytest.mark.parametrize("first", [0, 4], ids=["whole row", "end of the row"])
def test_what_is_known_of_prompts_can_be_written_back(first: int) -> None:
    row = ROW_M[first:].clone()
    PACKING.write_prompts(row, -PACKING.prompts_of(row))
    assert row.tolist() == [
        -token if token in PROMPTS_PQ.flatten().tolist() else token for token in ROW_M[first:].tolist()
    ]
