"""Starts and stops trainings as detached processes that outlive their parent. Imports no torch."""

from trainer.launch.error import LaunchError
from trainer.launch.stopping import stop

__all__ = ["LaunchError", "stop"]
