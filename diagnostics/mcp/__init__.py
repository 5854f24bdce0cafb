"""The Model Context Protocol server: runs and their diagnosis for programs, in answers of bounded size."""
