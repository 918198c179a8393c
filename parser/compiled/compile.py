"""From finished weights to what the engine runs: quantised, in a table, with a plan."""

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from parser.compiled.engine import HEAD_COLUMNS
from parser.compiled.groups import make_chunks
from parser.compiled.program import Layout
from parser.compiled.quantise import quantise
from parser.compiled.roles import RoleLayout, role_layout
from parser.compiled.table import Table, build_table
from parser.feature.extract import Extractor
from parser.feature.plan import make_plan
from parser.feature.templates import TemplateSet
from parser.score.weights import Weights

MOST_COLUMNS = 1 << 15  # where there is a stack: the ranks of columns are numbers of 16 bits, from 0 on


@dataclass(frozen=True, eq=False)
class Compiled:
    """Read-only; the arrays (of the table, and `actions`) may be views of a mapped file.

    The plan depends on the templates alone, and is made when it is first asked for: by the first parse.
    """

    templates: TemplateSet
    pos: str
    table: Table
    actions: np.ndarray  # int32: the action of each column
    n_actions: int
    scale: float  # scores are the table's integers / scale
    under_root: int = -1  # the label of all words under ROOT; -1: they may have any

    @cached_property
    def plan(self) -> tuple[Extractor, Layout | RoleLayout]:
        return plan_of(self.templates, self.pos)

    @property
    def extractor(self) -> Extractor:
        return self.plan[0]

    @property
    def layout(self) -> Layout | RoleLayout:
        return self.plan[1]

    def arrays(self) -> dict[str, np.ndarray]:
        return {"buckets": self.table.buckets, "rows": self.table.rows, "actions": self.actions}

    @property
    def n_bytes(self) -> int:
        return sum(array.nbytes for array in self.arrays().values())


class Actions(NamedTuple):
    """What of a system decides which columns there must be."""

    n_actions: int
    first_left: int  # before it: those without a label
    first_right: int
    n_labels: int
    root_label: int
    root_label_only: bool


def actions_of(system) -> Actions:
    """`system`: one, or its handle. Those of easy-first are of a pair: LEFT with all labels, then RIGHT."""
    core = getattr(system, "core", system)
    if core.name == "easy-first":
        return Actions(2 * core.n_labels, 0, core.n_labels, core.n_labels, core.root_label, False)
    names = ("n_actions", "first_left", "first_right", "n_labels", "root_label", "root_label_only")
    return Actions(*(getattr(core, name) for name in names))


def compile_model(weights: Weights, templates: TemplateSet, pos: str, system, under_root: int = -1) -> Compiled:
    """`system`: one (or its handle), for the actions that need columns. `under_root`: see Compiled."""
    core = actions_of(system)
    needed = needed_columns(core, np.unique(weights.actions))
    head = HEAD_COLUMNS if core.first_left else None
    model = quantise(weights, len(templates), needed, label_frequency(core), head)
    return Compiled(templates, pos, build_table(model), model.actions, core.n_actions, model.scale, under_root)


def from_arrays(arrays, scale: float, templates: TemplateSet, pos: str, system, under_root: int = -1) -> Compiled:
    """From a file: ValueError unless the arrays can be used for that system."""
    core = actions_of(system)
    actions = arrays["actions"]
    if actions.dtype != np.int32 or actions.ndim != 1 or not len(actions):
        raise ValueError("compiled weights: no actions")
    found = set(actions.tolist())  # np.unique would import numpy.ma, which takes longer than all the rest
    if len(found) != len(actions) or min(found) < 0 or max(found) >= core.n_actions:
        raise ValueError("compiled weights: the actions are not those of the parser")
    if not has_all_moves(core, found):
        raise ValueError("compiled weights: an action that is always needed is missing")
    if not 0 < scale < float("inf"):
        raise ValueError("compiled weights: no scale")
    table = Table(arrays["buckets"], arrays["rows"], len(actions))
    return Compiled(templates, pos, table, actions, core.n_actions, float(scale), under_root)


def label_frequency(core: Actions) -> np.ndarray:
    """By action. Labels are numbered by frequency, and the k-th is about a k-th as frequent as the first (Zipf)."""
    labels = 1 / np.arange(1, core.n_labels + 1)
    return np.concatenate([np.ones(core.first_left), labels, labels])


def needed_columns(core: Actions, weighted: np.ndarray) -> list[int]:
    """Actions that need a column even without weights.

    An action that has none scores 0 and may win all the same, so the first such action of each move must be found.
    Where legality depends on labels that is so for each kind of label.
    """
    known = set(weighted.tolist())
    needed = set(range(core.first_left))
    for first in (core.first_left, core.first_right):
        idle = [first + label for label in range(core.n_labels) if first + label not in known]
        needed |= set(idle[:1])
        if core.root_label_only:
            needed |= {first + core.root_label} | {a for a in idle if a != first + core.root_label and a in idle[:2]}
    return sorted(needed)


def has_all_moves(core: Actions, actions: set[int]) -> bool:
    """Is there a column for every move (with root_label_only: and kind of label), whatever is legal?"""
    for first in (core.first_left, core.first_right):
        labels = {action - first for action in actions if first <= action < first + core.n_labels}
        others = labels - {core.root_label} if core.root_label_only else labels
        if not others or (core.root_label_only and core.root_label not in labels):
            return False
    return set(range(core.first_left)) <= actions


def plan_of(templates: TemplateSet, pos: str) -> tuple[Extractor, Layout | RoleLayout]:
    if templates.family == "list":
        layout = role_layout(templates, pos)
        plan = layout.plan
        values = [tuple(plan.attributes[i] for i in found) for found in plan.stored]
        return Extractor(templates, pos, values), layout
    chunks = make_chunks(make_plan(templates, pos))
    groups = [group for chunk in chunks for pattern in chunk.patterns for group in pattern.groups]
    extra = sorted({tuple(sorted(words)) for group in groups for _, words in group.words})
    extractor = Extractor(templates, pos, extra)
    return extractor, Layout(extractor.plan, chunks)
