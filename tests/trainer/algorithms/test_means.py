import math

import pytest
import torch

from trainer.algorithms.means import (
    PassMetrics,
    masked_mean,
    masked_var,
    masked_whiten,
    mean_over_updates,
    sequence_sums,
)

VALUES_BT = torch.tensor([[1.0, 3.0, 100.0], [5.0, -100.0, 100.0]])
MASK_BT = torch.tensor([[True, True, False], [True, False, False]])


def test_padding_does_not_count():
    assert masked_mean(VALUES_BT, MASK_BT).item() == 3.0
    assert masked_var(VALUES_BT, MASK_BT).item() == pytest.approx(8 / 3)
    assert sequence_sums(VALUES_BT, MASK_BT).tolist() == [4.0, 5.0]


def test_a_nan_in_the_padding_does_not_count_and_one_among_the_tokens_does():
    assert masked_mean(torch.tensor([[1.0, math.nan]]), torch.tensor([[True, False]])).item() == 1.0
    assert math.isnan(masked_mean(torch.tensor([[1.0, math.nan]]), torch.tensor([[True, True]])).item())


def test_whitening_gives_mean_0_and_sample_variance_1_over_the_tokens_and_0_elsewhere():
    whitened_BT = masked_whiten(VALUES_BT, MASK_BT)  # 1, 3 and 5: mean 3, sample variance 4
    assert whitened_BT.flatten().tolist() == pytest.approx([-1.0, 0.0, 0.0, 1.0, 0.0, 0.0], abs=1e-6)


def test_whitening_that_counted_padding_would_be_wrong():
    blind_BT = (VALUES_BT - VALUES_BT.mean()) / VALUES_BT.std()
    assert (masked_whiten(VALUES_BT, MASK_BT) - blind_BT)[MASK_BT].abs().min().item() > 0.04


def test_whitening_a_single_token_gives_0_and_not_nan():
    assert masked_whiten(torch.tensor([[5.0, 7.0]]), torch.tensor([[True, False]])).tolist() == [[0.0, 0.0]]


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


def test_passes_of_any_size_combine_to_the_statistics_of_all_tokens_at_once():
    values_BT = torch.tensor([[1.0, 2.0, 6.0, 0.0], [3.0, 0.0, 0.0, 0.0], [5.0, 9.0, 0.0, 0.0]])
    mask_BT = torch.tensor([[1, 1, 1, 0], [1, 0, 0, 0], [1, 1, 0, 0]]).bool()

    def joined(*parts: slice) -> dict[str, float]:
        passes = PassMetrics()
        for part in parts:
            piece_BT, piece_mask_BT = values_BT[part], mask_BT[part]
            found = {
                "val/ratio": masked_mean(piece_BT, piece_mask_BT),
                "val/ratio_var": masked_var(piece_BT, piece_mask_BT),
            }
            passes.add({**found, "val/ratio_max": piece_BT[piece_mask_BT].max()}, piece_mask_BT)
        return passes.combined(passes.rows())

    whole = joined(slice(0, 3))
    assert whole == pytest.approx({"val/ratio": 26 / 6, "val/ratio_var": values_BT[mask_BT].var(correction=0).item(),
                                   "val/ratio_max": 9.0})  # fmt: skip
    assert joined(slice(0, 1), slice(1, 3)) == pytest.approx(whole)
    assert joined(slice(0, 2), slice(2, 3)) == pytest.approx(whole)


def test_a_metric_of_completions_weighs_a_pass_by_its_completions_and_not_by_its_tokens():
    mask_BT = torch.tensor([[1, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0]]).bool()
    clipped_B = torch.tensor([1.0, 0.0, 0.0])
    passes = PassMetrics()
    for part in (slice(0, 1), slice(1, 3)):
        passes.add({"entropy": clipped_B[part].mean()}, mask_BT[part], {"clip_ratio": clipped_B[part].mean()})
    assert passes.combined(passes.rows()) == pytest.approx({"clip_ratio": 1 / 3, "entropy": 4 / 6})
