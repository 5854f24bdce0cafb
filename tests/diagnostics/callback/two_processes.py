"""One of two processes of a training with the callback; the first one is asked to stop in step 3.

torchrun --nproc-per-node 2 two_processes.py FOLDER
"""

import os
import signal
import sys
from pathlib import Path

import torch
from transformers import Trainer, TrainingArguments

import rlvitals


class OneNumber(torch.nn.Module):
    """A model of one number, in whose third step the first process gets SIGTERM."""

    def __init__(self) -> None:
        super().__init__()
        self.number, self.steps = torch.nn.Parameter(torch.ones(())), 0

    def forward(self, x: torch.Tensor) -> dict[str, torch.Tensor]:
        self.steps += 1
        if self.steps == 3 and os.environ["RANK"] == "0":
            os.kill(os.getpid(), signal.SIGTERM)
        return {"loss": self.number * x.sum()}


def main(folder: str) -> None:
    """Train, and write the step at which this process ended."""
    args = TrainingArguments(
        folder, max_steps=20, logging_steps=2, report_to="none", use_cpu=True, save_strategy="no", disable_tqdm=True,
        per_device_train_batch_size=1, ddp_backend="gloo",
    )  # fmt: skip
    callback = rlvitals.DiagnosisCallback()
    trainer = Trainer(OneNumber(), args, train_dataset=[{"x": torch.ones(())} for _ in range(80)], callbacks=[callback])
    trainer.train()
    Path(folder, f"rank-{os.environ['RANK']}").write_text(f"{trainer.state.global_step} {callback.stopped_for}")


if __name__ == "__main__":
    main(*sys.argv[1:])
