"""Silent groups: those whose answers all earn the same, as they are all right, all wrong, or not told apart."""

SLACK = 0.05  # of the highest reward: a median of few groups, and full marks that a penalty lowers a little


def may_all_be_right(share_of_marks: float, silent: float) -> bool:
    """Whether the mean reward, as a share of the highest, leaves room for the silent groups to be right.

    Each of them earns full marks then, and the others no less than nothing, so that the mean is at least their share.
    """
    return share_of_marks >= silent - SLACK
