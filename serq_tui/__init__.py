"""The terminal debugger for serQ programs."""

__version__ = "0.1.0"
