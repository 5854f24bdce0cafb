"""What all channels share: how long a delivery may take, and what one raises that fails."""

SECONDS = 10.0
"""For one delivery, or for one answer of the receiver."""


class DeliveryError(Exception):
    """An alert was not delivered; the message is a clause without the receiver's address, which may be secret.

    `surely`: the receiver has not got it, so that it may be tried again.
    """

    def __init__(self, clause: str, *, surely: bool = False) -> None:
        super().__init__(clause)
        self.surely = surely
