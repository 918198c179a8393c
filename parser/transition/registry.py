"""The transition systems by name. A new system is one file and one line of SYSTEMS."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from parser.transition.arc_eager import ArcEager
from parser.transition.arc_hybrid import ArcHybrid
from parser.transition.arc_standard import ArcStandard
from parser.transition.easy_first import EasyFirst
from parser.transition.handle import EasyFirstHandle, StackHandle, System, TransitionError

PLACES = {"first": 0, "last": 1, "none": 2}


@dataclass(frozen=True)
class Options:
    """All options of all systems; a system's entry says which of them it takes."""

    root: str
    n_labels: int
    single_root: bool
    root_label: int
    attach_aware: bool
    left_arc: str
    root_label_only: bool

    @property
    def place(self) -> int:
        return PLACES[self.root]


@dataclass(frozen=True)
class Entry:
    """One system: how to build its core, its handle, where ROOT may be (the default first), which options it knows."""

    core: Callable[[Options], object]
    handle: type[System]
    roots: tuple[str, ...]
    options: frozenset[str]
    needs_root_label: Callable[[Options], bool]


def eager(o: Options):
    return ArcEager(
        o.place, o.n_labels, single_root=o.single_root, root_label=o.root_label, attach_aware=o.attach_aware
    )


def standard(o: Options):
    return ArcStandard(
        o.n_labels,
        single_root=o.single_root,
        root_label=o.root_label,
        root_label_only=o.root_label_only,
        left_late=o.left_arc == "late",
    )


def hybrid(o: Options):
    return ArcHybrid(o.place, o.n_labels, single_root=o.single_root, root_label=o.root_label)


def easy(o: Options):
    return EasyFirst(o.place, o.n_labels, single_root=o.single_root, root_label=o.root_label)


SYSTEMS = {
    "arc-eager": Entry(eager, StackHandle, ("last", "first"), frozenset({"attach_aware"}), lambda o: o.root == "first"),
    "arc-standard": Entry(
        standard, StackHandle, ("first",), frozenset({"left_arc", "root_label_only"}), lambda o: o.root_label_only
    ),
    "arc-hybrid": Entry(hybrid, StackHandle, ("first", "last", "none"), frozenset(), lambda o: o.root == "none"),
    "easy-first": Entry(easy, EasyFirstHandle, ("first", "none"), frozenset(), lambda o: o.root == "none"),
}


def get_system(
    name: str,
    *,
    labels: Sequence[str],
    root: str | None = None,
    single_root: bool = False,
    attach_aware: bool = False,
    left_arc: str = "early",
    root_label: str | None = None,
    root_label_only: bool = False,
) -> System:
    """The transition system of that name.

    root: where ROOT is placed: "first", "last" or "none"; each system has its default (arc-eager: last, others: first).
    single_root: only trees with one word under ROOT can be built.
    attach_aware: arc-eager with ROOT first; the loss is counted after headless words have been attached to ROOT.
    left_arc: arc-standard; its static oracle attaches left dependents "early" or "late".
    root_label: the label of words that no move attaches to ROOT ("root" where that is one of the labels).
    root_label_only: arc-standard; arcs from ROOT bear root_label and no others do.
    """
    entry = find(name)
    root = entry.roots[0] if root is None else root
    if root not in entry.roots:
        raise TransitionError(f"{name}: root={root!r}, expected {' or '.join(map(repr, entry.roots))}")
    given = {"attach_aware": attach_aware, "left_arc": left_arc != "early", "root_label_only": root_label_only}
    check_options(name, entry, given, left_arc)
    if attach_aware and root != "first":
        raise TransitionError(f"{name}: attach_aware goes with root='first' only; with root={root!r} none is left over")
    label_ids = check_labels(labels)
    options = Options(
        root, len(label_ids), single_root, root_label_id(label_ids, root_label), attach_aware, left_arc, root_label_only
    )
    if entry.needs_root_label(options) and options.root_label < 0:
        raise TransitionError(f"{name} with root={root!r} needs root_label, one of the labels")
    chosen = {"attach_aware": attach_aware, "left_arc": left_arc, "root_label_only": root_label_only}
    return entry.handle(entry.core(options), root, labels, chosen)


def find(name: str) -> Entry:
    if name not in SYSTEMS:
        raise TransitionError(f"no transition system {name!r}, expected one of {', '.join(SYSTEMS)}")
    return SYSTEMS[name]


def check_options(name: str, entry: Entry, given: dict[str, bool], left_arc: str) -> None:
    if left_arc not in ("early", "late"):
        raise TransitionError(f"left_arc={left_arc!r}, expected 'early' or 'late'")
    for option, is_set in given.items():
        if is_set and option not in entry.options:
            raise TransitionError(f"{name} has no option {option}")


def check_labels(labels: Sequence[str]) -> dict[str, int]:
    ids = {label: i for i, label in enumerate(labels)}
    if not ids:
        raise TransitionError("labels is empty, expected at least one label")
    if len(ids) != len(labels):
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise TransitionError(f"label {twice!r} is given twice")
    return ids


def root_label_id(ids: dict[str, int], root_label: str | None) -> int:
    if root_label is None:
        return ids.get("root", -1)
    if root_label not in ids:
        raise TransitionError(f"root_label={root_label!r} is not among the labels")
    return ids[root_label]
