"""The rules of runs: each judges logged series. One file each."""
