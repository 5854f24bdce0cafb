"""What the pages show: runs with their diagnoses, the list of runs, the end of a console log."""
