"""The HTML form of a report: its page, the elements that it is made of, its curves and its samples."""
