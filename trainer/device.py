"""The device of a training: seeds, threads and accelerate's placement on whatever accelerator is there."""

import torch
from accelerate import Accelerator
from accelerate.utils import set_seed

from trainer.config import TrainConfig


def accelerator_for(config: TrainConfig) -> Accelerator:
    """Seed every generator, set the threads and return the accelerator: a GPU where there is one, unless use_cpu."""
    if config.num_threads:
        torch.set_num_threads(config.num_threads)
    set_seed(config.seed)
    return Accelerator(cpu=config.use_cpu)
