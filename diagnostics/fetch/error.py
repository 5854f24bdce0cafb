"""Fetching from elsewhere: the one error of it, whatever it is fetched from."""


class FetchError(Exception):
    """A run could not be fetched; the message is one sentence that says what was tried, found, and what to do."""
