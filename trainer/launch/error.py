"""The error of everything that starts or stops trainings."""


class LaunchError(Exception):
    """A training could not be started or stopped; the message is one sentence."""
