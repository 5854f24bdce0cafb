"""Runs a module in this process and exits when the parent process is gone, however the parent ended.

python -m diagnostics.cli.end_with_parent MODULE WORD...

Standard input is a pipe that the parent holds open and the system closes when the parent ends, even after a
`kill -9`, about which no process can notify its children.
"""

import os
import runpy
import signal
import sys
import threading
import time

_STANDARD_INPUT = 0
_SECONDS_TO_END = 5.0


def main() -> None:
    """Run the module that the first word names, with the other words as its own."""
    threading.Thread(target=_wait_for_the_end, name="wait-for-parent", daemon=True).start()
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)


def _wait_for_the_end() -> None:
    while os.read(_STANDARD_INPUT, 1):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(_SECONDS_TO_END)
    os._exit(1)


if __name__ == "__main__":
    main()
