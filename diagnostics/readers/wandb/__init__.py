"""Weights & Biases' local files and exports, and SwanLab's, which use the same framing."""
