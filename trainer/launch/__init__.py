"""Starts and stops trainings as detached processes that outlive their parent. Imports no torch."""

from trainer.launch.error import LaunchError
from trainer.launch.submission import stop

__all__ = ["LaunchError", "stop"]
