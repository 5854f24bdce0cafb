"""Trains TRL's RLOO on the addition task; writes one row of metrics per step.

python -P -m benchmarks.trl_side.rloo_curve FOLDER     (FOLDER/run, ours, has the options; → FOLDER/trl.json)
"""

import sys
from pathlib import Path

import torch
from trl import RLOOConfig, RLOOTrainer

from benchmarks.trl_side.arguments import RLOO
from benchmarks.trl_side.grpo_curve import train

if __name__ == "__main__":
    torch.set_num_threads(1)
    train(Path(sys.argv[1]), RLOOTrainer, RLOOConfig, RLOO)
