"""Stand-ins for Slurm's commands, to see what they are asked; tests/slurm asks the real ones."""

import os
from pathlib import Path

import pytest

STAND_INS = {
    "sbatch": 'cat "$1" > "$STAND_IN/script"; echo Submitted batch job 7',
    "squeue": 'cat "$STAND_IN/queue"',
    "scancel": 'echo "$@" >> "$STAND_IN/cancelled"',
    "scontrol": "echo 'ClusterName             = here'",
    "sacct": "echo '7|TIMEOUT'",
    "srun": "exit 1",
}


def install_stand_ins(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Put them first on the path.

    `folder` gets the `script` that is submitted and what is `cancelled`; `queue` in it is what squeue prints.
    """
    folder.mkdir()
    for name, line in STAND_INS.items():
        (folder / name).write_text(f"#!/bin/sh\n{line}\n")
        (folder / name).chmod(0o755)
    (folder / "queue").write_text("")
    patch.setenv("STAND_IN", str(folder))
    patch.setenv("XDG_DATA_HOME", str(folder / "data"))  # where jobs are kept
    patch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
