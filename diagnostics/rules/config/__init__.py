"""The checks of settings: what a configuration alone says, before the first step. One file each."""
