"""Traits of a run that rules and causes both ask for."""
