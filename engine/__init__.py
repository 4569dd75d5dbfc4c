"""A steppable, cloneable simulation of a kernel IR; knows no text, no parser and no screen."""
