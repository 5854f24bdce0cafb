"""The project file: the limits and the mutes in the nearest rlvitals.toml, for the command line and the page alike."""

from diagnostics.project.reading import ProjectFile, file_for, nearest_file, project_changed
from diagnostics.project.writing import ProjectFileError, add_mute, remove_mutes, set_limits

__all__ = [
    "ProjectFile",
    "ProjectFileError",
    "add_mute",
    "file_for",
    "nearest_file",
    "project_changed",
    "remove_mutes",
    "set_limits",
]
