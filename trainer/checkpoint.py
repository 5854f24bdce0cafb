"""Checkpoints: a model, its tokenizer and the value model, saved so that a folder that exists is whole."""

import shutil
from pathlib import Path

from transformers import PreTrainedModel, PreTrainedTokenizerBase

from diagnostics.runlog import CHECKPOINTS_FOLDER

VALUE_MODEL_FOLDER = "value_model"


def save_checkpoint(
    run_directory: Path,
    step: int,
    model: PreTrainedModel,
    tokenizer: PreTrainedTokenizerBase,
    value_model: PreTrainedModel | None = None,
) -> Path:
    """Write <run>/checkpoints/step-N, which transformers loads; it gets its name when every file is written."""
    folder = run_directory / CHECKPOINTS_FOLDER / f"step-{step}"
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    model.save_pretrained(partial)
    tokenizer.save_pretrained(partial)
    if value_model is not None:
        value_model.save_pretrained(partial / VALUE_MODEL_FOLDER)
    shutil.rmtree(folder, ignore_errors=True)
    return partial.replace(folder)
