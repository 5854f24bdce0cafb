"""Runs a script in several processes that communicate over gloo; it ends with `leave()`, unless one is to be lost."""

import os
import subprocess
import sys
from pathlib import Path

PREAMBLE = """
import sys
import torch
import torch.distributed as dist

rank, processes, store = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=processes)

def leave():
    dist.barrier()
    dist.destroy_process_group()
"""


def said_by_the_first(script: str, folder: Path, processes: int = 2, share_a_machine: bool = False) -> str:
    """The output of rank 0; every rank must exit with 0. A launcher tells them if they share a machine."""
    words = [sys.executable, "-P", "-c", PREAMBLE + script]
    environment = os.environ | ({"LOCAL_WORLD_SIZE": str(processes)} if share_a_machine else {})
    group = [
        subprocess.Popen(
            [*words, str(rank), str(processes), str(folder / "store")],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
        )
        for rank in range(processes)
    ]
    outputs = [process.communicate(timeout=120)[0].strip() for process in group]
    assert [process.returncode for process in group] == [0] * processes
    return outputs[0]
