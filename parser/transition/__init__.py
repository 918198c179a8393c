"""Transition systems and their oracles; `get_system` gives one to step through by hand."""

from parser.transition.handle import Gold, GoldError, State, System, TransitionError
from parser.transition.registry import SYSTEMS, get_system

__all__ = ["SYSTEMS", "Gold", "GoldError", "State", "System", "TransitionError", "get_system"]
