"""Why the parser did what it did: its steps, and the features that spoke loudest. For people, not for loops."""

from collections.abc import Mapping, Sequence

import numpy as np

from parser.feature.reference import Reference, View
from parser.score.weights import Weights


def explain_steps(parser, columns: Mapping[str, Sequence[str]], top: int) -> list[dict]:
    """One dict a step.

    stack and buffer (easy-first: items), action: what was done; choices: legal actions with their probabilities, the
    likeliest first; features: (what the feature says, its weight for the action), the loudest first.
    """
    assembly = parser.assembly
    names = action_names(assembly)
    reference = Reference(assembly.templates, assembly.pos, assembly.labels, parser.clusters or {})
    session = parser._session()
    steps = session.trace(columns)
    return [readable(step, names, reference, parser.weights, columns, top, assembly) for step in steps]


def action_names(assembly) -> list[str]:
    bare = [] if assembly.is_easy_first else ["SHIFT", "REDUCE"] if assembly.system.core.has_reduce else ["SHIFT"]
    return bare + [f"{move}:{label}" for move in ("LEFT", "RIGHT") for label in assembly.labels]


def readable(step: dict, names, reference, weights: Weights, columns, top: int, assembly) -> dict:
    view = view_of(step, assembly)
    said = {feature.key: str(feature) for feature in reference.features(view, columns)}
    action = step["action"]
    spoken = [(said[key], weight_of(weights, key, action)) for key in step["features"]]
    spoken = sorted((pair for pair in spoken if pair[1] != 0), key=lambda pair: -abs(pair[1]))
    choices = sorted(zip(step["legal"], step["probabilities"], strict=True), key=lambda pair: -pair[1])
    place = {"items": step["items"]} if "items" in step else {"stack": step["stack"], "buffer": step["buffer"]}
    return {
        **place,
        "action": choice_name(names, (step["pair"], action) if "pair" in step else action),
        "forced": step["forced"],
        "choices": [(choice_name(names, choice), p) for choice, p in choices[:top]],
        "features": spoken[:top],
    }


def choice_name(names: list[str], choice) -> str:
    """Easy-first: the pair is named by its left member."""
    if isinstance(choice, tuple):
        return f"{names[choice[1]]} at {choice[0]}"
    return names[choice]


def view_of(step: dict, assembly) -> View:
    """The configuration as the reference extractor takes it."""
    arcs = {"heads": step["heads"], "labels": step["labels"], "root_last": assembly.config.system.root == "last"}
    if "items" in step:
        return View(**arcs, items=step["items"], pair=step["pair"])
    return View(**arcs, stack=step["stack"], buffer=step["buffer"])


def weight_of(weights: Weights, key: int, action: int) -> float:
    row = int(np.searchsorted(weights.keys, np.uint64(key)))
    if row == len(weights.keys) or int(weights.keys[row]) != key:
        return 0.0
    actions = weights.actions[weights.offsets[row] : weights.offsets[row + 1]]
    at = int(np.searchsorted(actions, action))
    if at == len(actions) or actions[at] != action:
        return 0.0
    return float(weights.weights[weights.offsets[row] + at])
