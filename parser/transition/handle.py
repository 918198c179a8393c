"""Systems, states and gold trees to step through by hand: for tests, notebooks and explanations, not for loops.

system = get_system("arc-hybrid", root="none", labels=["root", "x", "y"])
state = system.initial(n=3)
state.apply("SHIFT"); state.apply("LEFT:x")
gold = system.gold(heads=[2, 0, 2], labels=["x", "root", "y"])
gold.costs(state)
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from parser.transition.cursor import GoldCursor, ListCursor, StackCursor
from parser.transition.gold import GoldProblem
from parser.treebank.tree import TreeError, nonprojective_words, problem

MOVES = ("SHIFT", "REDUCE", "LEFT", "RIGHT")
LEFT = 2


class TransitionError(ValueError):
    """A move, label or option that does not exist or does not apply here; the message names it."""


class GoldError(TransitionError):
    """A gold tree that no derivation of the system can build; the message names the sentence."""


def arc_name(move: str, label: int, labels: Sequence[str]) -> str:
    return move if label < 0 else f"{move}:{labels[label]}"


def label_names(ids: Sequence[int], labels: Sequence[str]) -> list[str | None]:
    return [labels[i] if i >= 0 else None for i in ids]


class State:
    """A configuration. `apply` changes it, `copy` gives an independent one."""

    def __init__(self, system: "System", cursor):
        self.system = system
        self.cursor = cursor

    def copy(self) -> "State":
        """A state of its own: what happens to it does not change this one."""
        return type(self)(self.system, self.cursor.copy())

    def legal(self, labelled: bool = True) -> list[str]:
        """Names of the legal transitions, in the system's fixed order."""
        return [name for name, _ in self.choices(labelled)]

    def apply(self, name: str) -> None:
        """Takes one transition; an arc may be given without label ("LEFT"), its label is then None."""
        move, colon, label = name.partition(":")
        choice = dict(self.choices(labelled=False)).get(move)
        if choice is None:
            raise TransitionError(self.not_legal(move))
        if colon and not self.adds_arc(move):
            raise TransitionError(f"{name!r}: {move} takes no label")
        label_id = self.system.label_id(label) if colon else -1
        if colon and name not in self.legal():
            raise TransitionError(f"{name!r} is not legal here: label {label!r} does not go with this head")
        self.cursor.apply(*choice, label_id)

    def not_legal(self, move: str) -> str:
        """The message for a move that may not be made."""
        legal = ", ".join(self.legal(labelled=False)) or "nothing: the state is final"
        return f"{move!r} is not legal here; legal: {legal}"

    @property
    def heads(self) -> list[int]:
        """Heads so far, 0 ROOT, -1 none."""
        return self.cursor.heads()

    @property
    def labels(self) -> list[str | None]:
        """Labels of the arcs so far."""
        return label_names(self.cursor.labels(), self.system.labels)

    def is_final(self) -> bool:
        """Is there nothing left to do?"""
        return self.cursor.is_final()

    def tree(self) -> tuple[list[int], list[str | None]]:
        """(heads, labels) of a final state, words left without a head attached to ROOT."""
        if not self.is_final():
            raise TransitionError("the state is not final: there is no tree yet")
        heads, labels = self.cursor.tree()
        return heads, label_names(labels, self.system.labels)


class StackState(State):
    """A configuration of arc-eager, arc-standard or arc-hybrid."""

    def choices(self, labelled: bool) -> Iterator[tuple[str, tuple]]:
        """(name, what the cursor's apply takes before the label) of each legal transition."""
        if not labelled:
            return ((MOVES[move], (move,)) for move in self.cursor.moves())
        return (
            (self.system.action_names[action], (self.system.action_moves[action],)) for action in self.cursor.actions()
        )

    def adds_arc(self, move: str) -> bool:
        return move in ("LEFT", "RIGHT")

    def arc(self, move: str) -> tuple[int, int] | None:
        """(head, dependent) that the move adds, or None."""
        return self.cursor.arc(MOVES.index(move)) if self.adds_arc(move) else None

    @property
    def stack(self) -> list[int]:
        """From the bottom to the top."""
        return self.cursor.stack()

    @property
    def buffer(self) -> list[int]:
        return self.cursor.buffer()

    def __repr__(self) -> str:
        return f"<{self.system.name} stack={self.stack} buffer={self.buffer} heads={self.heads}>"


class ListState(State):
    """A configuration of easy-first; transitions are "LEFT@i:label", i the 1-based list index of the head."""

    def choices(self, labelled: bool) -> Iterator[tuple[str, tuple]]:
        items = self.cursor.items()
        pairs = [("LEFT", i + 2, right, left) for i, (left, right) in enumerate(pairwise(items))]
        pairs += [("RIGHT", i + 1, left, right) for i, (left, right) in enumerate(pairwise(items))]
        ids = range(len(self.system.labels)) if labelled else (-1,)
        for direction, index, head, dep in pairs:
            if self.cursor.is_legal(head, dep):
                for label in ids:
                    yield arc_name(f"{direction}@{index}", label, self.system.labels), (head, dep)

    def adds_arc(self, move: str) -> bool:  # noqa: ARG002
        return True

    def arc(self, move: str) -> tuple[int, int]:
        return dict(self.choices(labelled=False))[move]

    @property
    def items(self) -> list[int]:
        return self.cursor.items()

    def __repr__(self) -> str:
        return f"<{self.system.name} items={self.items} heads={self.heads}>"


class Gold:
    """A gold tree: costs, static oracle and best reachable loss in any state of its sentence."""

    def __init__(self, system: "System", cursor: GoldCursor, heads: Sequence[int], labels: Sequence[str] | None):
        self.system = system
        self.cursor = cursor
        self.heads = list(heads)
        self.labels = None if labels is None else list(labels)
        self.floor = self.best_loss(system.initial(len(heads)), labelled=labels is not None)

    def costs(self, state: State, labelled: bool = True, weights: tuple[int, int] | None = None) -> dict[str, int]:
        """{name: cost} of the legal transitions. weights: loss of a wrong head, and of a wrong label on a right one."""
        self.prepare(state, labelled, weights)
        return self.system.costs(self.cursor, state, labelled)

    def best_loss(self, state: State, labelled: bool = True, weights: tuple[int, int] | None = None) -> int:
        """The loss of the best tree that can be reached."""
        self.prepare(state, labelled, weights)
        return self.cursor.best_loss(state.cursor)

    def static(self, state: State) -> str | None:
        """The static oracle's transition; None in final states and once the gold tree is out of reach."""
        labelled = self.labels is not None
        if state.is_final() or self.best_loss(state, labelled) > self.floor:
            return None
        return self.system.static(self, state)

    def prepare(self, state: State, labelled: bool, weights: tuple[int, int] | None) -> None:
        """Makes the oracle ready to be asked about a state; TransitionError where the two do not go together."""
        if state.system is not self.system:
            raise TransitionError("the state belongs to another system than the gold tree")
        if state.cursor.n != len(self.heads):
            raise TransitionError(f"the state has {state.cursor.n} words, the gold tree {len(self.heads)}")
        if labelled and self.labels is None:
            raise TransitionError("the gold tree has no labels: ask with labelled=False")
        head_weight, label_weight = (1, 1) if weights is None else weights
        if head_weight < 1 or not 0 <= label_weight <= head_weight:
            raise TransitionError(f"weights={weights}: expected 1 <= head and 0 <= label <= head")
        self.cursor.weigh(head_weight, label_weight if labelled else 0)


class System:
    """A transition system with its labels and options; `core` is the object that C code uses."""

    def __init__(self, core, root: str, labels: Sequence[str], options: dict):
        self.core = core
        self.name = core.name
        self.root = root
        self.labels = tuple(labels)
        self.options = options
        self.single_root = bool(core.single_root)
        self.label_ids = {label: i for i, label in enumerate(self.labels)}

    def label_id(self, label: str) -> int:
        """The number of a label; TransitionError for one that the system does not have."""
        if label not in self.label_ids:
            raise TransitionError(f"label {label!r} is not among the system's {len(self.labels)} labels")
        return self.label_ids[label]

    def initial(self, n: int) -> State:
        """The initial configuration of a sentence of n words."""
        if n < 1:
            raise TransitionError(f"n={n}: expected a sentence of at least one word")
        return self.new_state(n)

    def gold(self, heads: Sequence[int], labels: Sequence[str] | None = None, name: str = "sentence") -> Gold:
        """The gold tree; heads[i - 1] is the head of word i. `name` is what an error message calls the sentence."""
        heads = list(heads)
        if labels is not None and len(labels) != len(heads):
            raise GoldError(f"{name}: {len(heads)} heads but {len(labels)} labels")
        try:
            found = "no words" if not heads else problem(heads)
        except TreeError as error:
            found = str(error)
        if found:
            raise GoldError(f"{name}: {found}")
        ids = [-1] * len(heads) if labels is None else [self.gold_label(name, i, b) for i, b in enumerate(labels, 1)]
        cursor = GoldCursor(heads, ids, self.single_root)
        self.refuse(cursor, heads, name)
        self.require_root_label(heads, labels, name)
        return Gold(self, cursor, heads, labels)

    def gold_label(self, name: str, word: int, label: str) -> int:
        """The same for a label of a gold tree: GoldError."""
        if label not in self.label_ids:
            raise GoldError(f"{name}: label {label!r} of word {word} is not among the system's labels")
        return self.label_ids[label]

    def refuse(self, cursor: GoldCursor, heads: list[int], name: str) -> None:
        """Raises the GoldError that says what is wrong with a tree."""
        if cursor.problem == GoldProblem.GOLD_NONPROJECTIVE:
            word = nonprojective_words(heads)[0]
            raise GoldError(
                f"{name}: the tree is not projective (the arc from {heads[word - 1]} to {word} crosses another), no "
                "derivation builds it: lift such trees (--nonprojective lift) or drop them (--nonprojective drop)"
            )
        if cursor.problem == GoldProblem.GOLD_SEVERAL_ROOTS:
            raise GoldError(
                f"{name}: {heads.count(0)} words have head 0, but the system builds trees with one root (single_root)"
            )

    def require_root_label(self, heads: list[int], labels: Sequence[str] | None, name: str) -> None:
        """GoldError where arcs from ROOT, and no others, should have its label but do not."""
        if labels is None or not self.options.get("root_label_only"):
            return
        only = self.labels[self.core.root_label]
        for word, (head, label) in enumerate(zip(heads, labels, strict=True), 1):
            if (head == 0) != (label == only):
                raise GoldError(
                    f"{name}: word {word} has head {head} and label {label!r}, but with root_label_only "
                    f"the words under ROOT, and no others, are labelled {only!r}"
                )

    def explain(self, state: State, gold: Gold) -> str:
        """A table of all transitions in this state: legal or not, their cost, and which gold arcs they lose."""
        labelled = gold.labels is not None
        costs = gold.costs(state, labelled=False)
        rows = [("move", "legal", "cost", "why")]
        for move in self.move_names(state):
            if move in costs:
                rows.append((move, "yes", str(costs[move]), self.reason(state, gold, move, costs[move], labelled)))
            else:
                rows.append((move, "no", "-", ""))
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        lines = [
            "  ".join([*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[3]]).rstrip()
            for row in rows
        ]
        return "\n".join([repr(state), *lines])

    def reason(self, state: State, gold: Gold, move: str, cost: int, labelled: bool) -> str:
        """Which arcs of the gold tree a move loses, in words."""
        gold.prepare(state, False, None)
        before = gold.cursor.word_losses(state.cursor)
        after_state = state.copy()
        after_state.apply(move)
        after = gold.cursor.word_losses(after_state.cursor)
        said = []
        if arc := state.arc(move):
            head, dep = arc
            is_gold = gold.heads[dep - 1] == head
            label = f", label {gold.labels[dep - 1]}" if labelled and is_gold else ""
            said.append(f"adds {head} -> {dep}: {'gold' + label if is_gold else f'gold head is {gold.heads[dep - 1]}'}")
        lost = [d for d in range(1, len(before) + 1) if after[d - 1] > before[d - 1]]
        said += ["loses " + ", ".join(f"{gold.heads[d - 1]} -> {d}" for d in lost)] if lost else []
        if cost > len(lost):
            said.append(f"{cost - len(lost)} more arc(s) exclude each other")
        elif cost < len(lost):
            said.append(f"of these {len(lost) - cost} could not be had together with the others")
        return "; ".join(said)


class StackHandle(System):
    """Arc-eager, arc-standard or arc-hybrid."""

    def __init__(self, core, root: str, labels: Sequence[str], options: dict):
        super().__init__(core, root, labels, options)
        self.action_moves = [0, 1] if core.has_reduce else [0]
        self.action_moves += [LEFT] * len(self.labels) + [LEFT + 1] * len(self.labels)
        bare = [MOVES[move] for move in self.action_moves[: core.first_left]]
        self.action_names = bare + [f"{move}:{label}" for move in ("LEFT", "RIGHT") for label in self.labels]

    def new_state(self, n: int) -> StackState:
        return StackState(self, StackCursor(self.core, n))

    def move_names(self, state: State) -> list[str]:  # noqa: ARG002
        return [move for move in MOVES if move != "REDUCE" or self.core.has_reduce]

    def costs(self, cursor: GoldCursor, state: State, labelled: bool) -> dict[str, int]:
        if not labelled:
            costs = cursor.move_costs(state.cursor)
            return {MOVES[move]: costs[move] for move in state.cursor.moves()}
        costs = cursor.action_costs(state.cursor)
        return {self.action_names[action]: costs[action] for action in state.cursor.actions()}

    def static(self, gold: Gold, state: State) -> str:
        move, label = gold.cursor.static_action(state.cursor)
        return arc_name(MOVES[move], label, self.labels)


class EasyFirstHandle(System):
    """Easy-first: the static oracle gives the first correct transition in the fixed order."""

    def new_state(self, n: int) -> ListState:
        return ListState(self, ListCursor(self.core, n))

    def move_names(self, state: ListState) -> list[str]:
        return state.legal(labelled=False)

    def costs(self, cursor: GoldCursor, state: ListState, labelled: bool) -> dict[str, int]:
        costs = {}
        for name, (head, dep) in state.choices(labelled=False):
            move_cost = cursor.pair_cost(state.cursor, head, dep)
            if not labelled:
                costs[name] = move_cost
                continue
            for label in range(len(self.labels)):
                costs[arc_name(name, label, self.labels)] = move_cost + cursor.label_cost(head, dep, label)
        return costs

    def static(self, gold: Gold, state: ListState) -> str:
        for name, (head, dep) in state.choices(labelled=False):
            if gold.cursor.pair_correct(state.cursor, head, dep):
                return name if gold.labels is None else f"{name}:{gold.labels[dep - 1]}"
        raise AssertionError("the gold tree is reachable, so some arc of it can be added")
