"""The error of fetching from elsewhere."""


class FetchError(Exception):
    """A run could not be fetched; the message is one sentence: what was tried, what was found, what to do."""
