"""States and gold trees as Python objects: the border between the handle (handle.py) and the C functions.

Every argument is checked by the handle; here only numbers go in and out.
"""

from libc.stdint cimport int32_t, uint8_t, uint32_t

from parser.common cimport cost_t, label_t
from parser.transition.easy_first cimport EasyFirst
from parser.transition.gold cimport GoldBlock
from parser.transition.list_state cimport ListBlock, ListC, LinkC, links, list_bytes, list_copy, list_nodes
from parser.transition.node cimport NodeC, l1, l2, lset, lval, r1, r2, rset, rval
from parser.transition.state cimport (N, S, StateBlock, StateC, buffer_length, n_roots, nodes, stack, state_bytes,
                                      state_copy)
from parser.transition.system cimport N_MOVES, ArcC, StackSystem

import array


cdef list chain_labels(const NodeC* node, int32_t newest):
    """The exact members of a label set, sorted."""
    labels = []
    while newest >= 0:
        labels.append(node[newest].label)
        newest = node[newest].next_new
    return sorted(labels)


cdef dict node_facts(const NodeC* node, int32_t i):
    return {
        "head": node[i].head, "label": node[i].label, "on_stack": bool(node[i].on_stack),
        "l1": l1(node, i), "l2": l2(node, i), "r1": r1(node, i), "r2": r2(node, i),
        "lval": lval(node, i), "rval": rval(node, i), "lset": lset(node, i), "rset": rset(node, i),
        "left_labels": chain_labels(node, node[i].newest[0]), "right_labels": chain_labels(node, node[i].newest[1]),
    }


cdef list heads_of(const NodeC* node, int32_t n):
    return [node[i].head for i in range(1, n + 1)]


cdef list labels_of(const NodeC* node, int32_t n):
    return [node[i].label for i in range(1, n + 1)]


cdef class StackCursor:
    """One state of a stack system."""
    cdef readonly StackSystem system
    cdef StateBlock block
    cdef StateC* s

    def __init__(self, StackSystem system, int32_t n):
        self.system = system
        self.block = StateBlock()
        self.restart(n)

    def restart(self, int32_t n):
        """The initial configuration of n words, in the memory already there if it is enough."""
        self.block.reserve(1, n)
        self.s = self.block.at(0)
        self.system.init(self.s, n)

    def copy(self):
        cdef StackCursor other = StackCursor(self.system, self.s.n)
        state_copy(other.s, self.s)
        return other

    @property
    def n(self):
        return self.s.n

    def is_final(self):
        return bool(self.system.is_final(self.s))

    def moves(self):
        """The legal moves, ascending."""
        cdef uint32_t moves = self.system.legal(self.s)
        return [move for move in range(N_MOVES) if moves >> <uint32_t>move & 1]

    def actions(self):
        """The legal actions, ascending."""
        valid = bytearray(self.system.n_actions)
        cdef uint8_t[::1] view = valid
        self.system.set_legal(self.s, &view[0])
        return [action for action in range(self.system.n_actions) if valid[action]]

    def apply(self, int32_t move, label_t label):
        self.system.apply(self.s, move, label)

    def arc(self, int32_t move):
        cdef ArcC arc = self.system.arc(self.s, move)
        return arc.head, arc.dep

    def stack(self):
        return [stack(self.s)[i] for i in range(self.s.depth)]

    def buffer(self):
        return [N(self.s, i) for i in range(buffer_length(self.s))]

    def stack_top(self, int32_t i):
        """S(i) as features read it."""
        return S(self.s, i)

    def heads(self):
        return heads_of(nodes(self.s), self.s.n)

    def labels(self):
        return labels_of(nodes(self.s), self.s.n)

    def node(self, int32_t i):
        return node_facts(nodes(self.s), i)

    def counts(self):
        return {"arcs": sum(head >= 0 for head in self.heads()), "roots": n_roots(self.s), "open": self.s.open}

    def tree(self):
        heads = array.array("i", bytes(4 * self.s.n))
        labels = array.array("i", bytes(4 * self.s.n))
        cdef int32_t[::1] h = heads
        cdef label_t[::1] b = labels
        self.system.finish(self.s, &h[0], &b[0])
        return heads.tolist(), labels.tolist()

    def raw(self):
        """The bytes of the block."""
        return (<char*>self.s)[:state_bytes(self.s.n)]


cdef class ListCursor:
    """One state of easy-first."""
    cdef readonly EasyFirst system
    cdef ListBlock block
    cdef ListC* s

    def __init__(self, EasyFirst system, int32_t n):
        self.system = system
        self.block = ListBlock()
        self.restart(n)

    def restart(self, int32_t n):
        self.block.reserve(1, n)
        self.s = self.block.at(0)
        self.system.init(self.s, n)

    def copy(self):
        cdef ListCursor other = ListCursor(self.system, self.s.n)
        list_copy(other.s, self.s)
        return other

    @property
    def n(self):
        return self.s.n

    def is_final(self):
        return bool(self.system.is_final(self.s))

    def items(self):
        cdef int32_t word = self.s.leftmost
        items = []
        while word >= 0:
            items.append(word)
            word = links(self.s)[word].right
        return items

    def is_legal(self, int32_t head, int32_t dep):
        return bool(self.system.is_legal(self.s, head, dep))

    def apply(self, int32_t head, int32_t dep, label_t label):
        self.system.apply(self.s, head, dep, label)

    def heads(self):
        return heads_of(list_nodes(self.s), self.s.n)

    def labels(self):
        return labels_of(list_nodes(self.s), self.s.n)

    def node(self, int32_t i):
        facts = node_facts(list_nodes(self.s), i)
        cdef LinkC link = links(self.s)[i]
        facts.update(first=link.first, last=link.last)
        return facts

    def counts(self):
        return {"arcs": self.s.arcs, "roots": self.s.roots}

    def tree(self):
        heads = array.array("i", bytes(4 * self.s.n))
        labels = array.array("i", bytes(4 * self.s.n))
        cdef int32_t[::1] h = heads
        cdef label_t[::1] b = labels
        self.system.finish(self.s, &h[0], &b[0])
        return heads.tolist(), labels.tolist()

    def raw(self):
        return (<char*>self.s)[:list_bytes(self.s.n)]


cdef class GoldCursor:
    """One gold tree; `problem` is 0 or why the tree cannot be used (GoldProblem)."""
    cdef GoldBlock block
    cdef readonly int problem

    def __init__(self, heads, labels, bint single_root):
        self.block = GoldBlock()
        cdef int32_t[::1] h = array.array("i", heads)
        cdef label_t[::1] b = array.array("i", labels)
        self.problem = self.block.fill(&h[0], &b[0], <int32_t>len(heads), single_root)

    def weigh(self, cost_t head_weight, cost_t label_weight):
        self.block.c.head_weight = head_weight
        self.block.c.label_weight = label_weight

    def move_costs(self, StackCursor state):
        cdef cost_t costs[4]
        state.system.move_costs(state.s, &self.block.c, costs)
        return [costs[move] for move in range(N_MOVES)]

    def action_costs(self, StackCursor state):
        costs = array.array("i", bytes(4 * state.system.n_actions))
        cdef cost_t[::1] view = costs
        state.system.action_costs(state.s, &self.block.c, &view[0])
        return costs.tolist()

    def static_action(self, StackCursor state):
        """(move, label)"""
        cdef int32_t move = state.system.static_move(state.s, &self.block.c)
        cdef ArcC arc = state.system.arc(state.s, move)
        return move, self.block.c.node[arc.dep].label if arc.dep > 0 else -1

    def best_loss(self, state):
        if isinstance(state, ListCursor):
            return (<ListCursor>state).system.best_loss((<ListCursor>state).s, &self.block.c)
        cdef StackCursor on_stack = state
        return on_stack.system.best_loss(on_stack.s, &self.block.c)

    def word_losses(self, state):
        """word_loss of the words 1..n."""
        cdef int32_t n = self.block.c.n
        cdef ListCursor listed
        cdef StackCursor on_stack
        if isinstance(state, ListCursor):
            listed = state
            return [listed.system.word_loss(listed.s, &self.block.c, d) for d in range(1, n + 1)]
        on_stack = state
        return [on_stack.system.word_loss(on_stack.s, &self.block.c, d) for d in range(1, n + 1)]

    def pair_cost(self, ListCursor state, int32_t head, int32_t dep):
        return state.system.cost(state.s, &self.block.c, head, dep)

    def label_cost(self, int32_t head, int32_t dep, label_t label):
        """What the label adds to pair_cost."""
        cdef bint wrong = self.block.c.node[dep].head == head and self.block.c.node[dep].label != label
        return self.block.c.label_weight if wrong else 0

    def pair_correct(self, ListCursor state, int32_t head, int32_t dep):
        return bool(state.system.is_correct(state.s, &self.block.c, head, dep))
