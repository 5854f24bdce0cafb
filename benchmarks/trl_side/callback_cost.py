"""Times the DiagnosisCallback inside GRPO of TRL on the addition demo; prints one JSON object.

python -P -m benchmarks.trl_side.callback_cost MODEL FOLDER STEPS with|without
"""

import json
import resource
import sys
import time
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from transformers import AutoModelForCausalLM, AutoTokenizer, TrainerCallback
from trl import GRPOConfig, GRPOTrainer

import rlvitals

WARM_UP = 5  # steps that are left out
EVENTS = ("on_train_begin", "on_log", "on_step_end", "on_train_end")


class Timed:
    """The callback, with the seconds that the training waits for each of its events."""

    def __init__(self) -> None:
        self.inner = rlvitals.DiagnosisCallback()
        self.seconds: dict[str, list[float]] = {event: [] for event in EVENTS}

    def __getattr__(self, event: str) -> Any:
        handler = getattr(self.inner, event)
        if event not in EVENTS:
            return handler

        def timed(*args: Any, **given: Any) -> Any:
            started = time.perf_counter()
            found = handler(*args, **given)
            self.seconds[event].append(time.perf_counter() - started)
            return found

        return timed


class Steps(TrainerCallback):
    """When each step ended."""

    def __init__(self) -> None:
        self.ends: list[float] = []

    def on_step_end(self, *_: Any, **given: Any) -> None:
        self.ends.append(time.perf_counter())


def brevity(completions: list[str], **columns: list[object]) -> list[float]:
    """The fewer characters, the better."""
    return [-float(len(text)) for text in completions]


def main(model: str, folder: str, steps: str, which: str) -> None:
    """Train with or without the callback."""
    args = GRPOConfig(
        output_dir=folder, report_to="none", logging_steps=1, save_strategy="no", max_steps=int(steps), use_cpu=True,
        per_device_train_batch_size=16, num_generations=8, max_completion_length=32, bf16=False, disable_tqdm=True,
        seed=0,
    )  # fmt: skip
    rows = Dataset.from_list([{"prompt": f"{one}+{two}="} for one in range(10, 26) for two in range(20, 36)])
    clock, callback = Steps(), Timed()
    trainer = GRPOTrainer(
        AutoModelForCausalLM.from_pretrained(model), brevity, args=args, train_dataset=rows,
        processing_class=AutoTokenizer.from_pretrained(model, padding_side="left"), callbacks=[clock],
    )  # fmt: skip
    if which == "with":
        callback.inner._trainer = trainer
        trainer.add_callback(callback)
    trainer.train()
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = {
        "steps": [
            after - before for before, after in zip(clock.ends[WARM_UP:], clock.ends[WARM_UP + 1 :], strict=False)
        ],
        "callback": {event: seconds for event, seconds in callback.seconds.items() if seconds},
        "watcher": children.ru_utime + children.ru_stime,
    }
    (Path(folder) / "cost.json").write_text(json.dumps(found), "utf-8")


if __name__ == "__main__":
    torch.set_num_threads(1)
    main(*sys.argv[1:])
