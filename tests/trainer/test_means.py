import math

import pytest
import torch

from trainer.means import masked_mean, masked_var, masked_whiten, mean_over_updates, sequence_sums

VALUES_BT = torch.tensor([[1.0, 3.0, 100.0], [5.0, -100.0, 100.0]])
MASK_BT = torch.tensor([[True, True, False], [True, False, False]])


def test_padding_does_not_count():
    assert masked_mean(VALUES_BT, MASK_BT).item() == 3.0
    assert masked_var(VALUES_BT, MASK_BT).item() == pytest.approx(8 / 3)
    assert sequence_sums(VALUES_BT, MASK_BT).tolist() == [4.0, 5.0]


def test_a_nan_in_the_padding_does_not_count_and_one_among_the_tokens_does():
    assert masked_mean(torch.tensor([[1.0, math.nan]]), torch.tensor([[True, False]])).item() == 1.0
    assert math.isnan(masked_mean(torch.tensor([[1.0, math.nan]]), torch.tensor([[True, True]])).item())


def test_whitening_gives_mean_0_and_variance_1_over_the_tokens_and_0_elsewhere():
    whitened_BT = masked_whiten(VALUES_BT, MASK_BT)
    assert whitened_BT[~MASK_BT].tolist() == [0.0, 0.0, 0.0]
    assert masked_mean(whitened_BT, MASK_BT).item() == pytest.approx(0, abs=1e-6)
    assert masked_var(whitened_BT, MASK_BT).item() == pytest.approx(1, abs=1e-6)


def test_whitening_without_a_shift_keeps_the_mean():
    whitened_BT = masked_whiten(VALUES_BT, MASK_BT, shift_mean=False)
    assert masked_mean(whitened_BT, MASK_BT).item() == pytest.approx(3.0, abs=1e-6)


def test_a_step_logs_all_updates_and_not_only_the_last():
    updates = [
        {
            "policy/approxkl_avg": torch.tensor(value),
            "val/ratio_max": torch.tensor(value),
            "low_min": torch.tensor(value),
        }
        for value in (1.0, 4.0, 1.0)
    ]
    assert mean_over_updates(updates) == {"policy/approxkl_avg": 2.0, "val/ratio_max": 4.0, "low_min": 1.0}
