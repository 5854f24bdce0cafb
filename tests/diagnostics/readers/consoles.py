"""Console output of trainers, for tests: files to write, to backdate and to read."""

import os
import time
from pathlib import Path
from typing import Any

from diagnostics.readers.console import reader as console

FIXTURES = Path(__file__).parents[2] / "fixtures"
PRINTED = FIXTURES / "console"
RAY = "\x1b[36m(TaskRunner pid=7)\x1b[0m "
SETTINGS = f"""{RAY}{{'actor_rollout_ref': {{'actor': {{'optim': {{'lr': 1e-06}}, 'ppo_epochs': 1}},
{RAY}                       'rollout': {{'n': 4, 'name': 'vllm'}}}},
(WorkerDict pid=9) {{'actor_rollout_ref': 'of another'}}
(WorkerDict pid=9)                        'of': 'another',
{RAY} 'algorithm': {{'adv_estimator': 'grpo',
{RAY}/usr/lib/vllm.py:8: RuntimeWarning: Failed to read commit hash:
{RAY}   from vllm.version import __version__ as VLLM_VERSION
{RAY}               'gamma': 1.0}},
{RAY} 'trainer': {{'total_epochs': 1}}}}
"""
VERL = f"""{SETTINGS}{RAY}step:0 - val-core/gsm8k/acc:0.25
{RAY}Training Progress:   0%|          | 0/3 [00:00<?, ?it/s]
{RAY}step:1 - actor/pg_loss:np.float64(-0.5) - critic/score/mean:0.25 - actor/pg_clipfrac:0.0
Training Progress:  33%|███▎      | 1/3 [00:05<00:10, 5.0s/it]step:2 - actor/pg_loss:nan - critic/score/mean:0.5
(WorkerDict pid=9) saved to checkpoints/global_step:2 - done, timing/step:1.25
"""


def points(recording: Any, tag: str) -> list[tuple[int, float]]:
    return list(zip(recording.tags[tag].steps.tolist(), recording.tags[tag].values.tolist(), strict=True))


def written(folder: Path, text: str, name: str = "train.log") -> Path:
    file = folder / name
    file.write_text(text)
    return file


def left_for(file: Path, seconds: float) -> Path:
    """Backdate a file, as if nothing had been written to it for this long."""
    os.utime(file, (time.time() - seconds,) * 2)
    return file


def read(file: Path) -> Any:
    return console.Reader(file).refresh()
