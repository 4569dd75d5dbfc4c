"""Measurements of speed: never part of the tests, whose verdict must not hang on a busy machine."""
