"""arcspeed: a trainable dependency parser for people who have a lot of text and a CPU."""

from parser.version import __version__

__all__ = ["__version__"]
