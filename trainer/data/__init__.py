"""The data of a training: rows of prompts, where they come from and how they are drawn."""
