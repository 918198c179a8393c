"""Walks through many sentences without Python: for tests at that scale and for benchmarks.

`complete` takes random legal actions for a while and then random actions of no cost to the end; `time_apply` and
`time_costs` are the loops that benchmarks/transition.py times. The same seed is the same walk.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from posix.time cimport CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID, clock_gettime, timespec

import array

from parser.common cimport Rng, cost_t, label_t, rng_below, rng_next, rng_seed
from parser.transition.easy_first cimport EasyFirst
from parser.transition.gold cimport GoldBlock
from parser.transition.list_state cimport LinkC, ListBlock, ListC, links, list_copy
from parser.transition.state cimport StateBlock, StateC, n_roots, state_copy
from parser.transition.system cimport LEFT, N_MOVES, ArcC, StackSystem

STUCK = -1      # what `complete` answers where a state has no action of no cost


cdef struct Timed:
    int64_t steps
    int64_t check           # depends on all results, so that no work can be left out
    double seconds


# Of each set of moves: how many there are, and which, in two bits each. Constant once the module is loaded.
cdef int32_t[16] MOVES_IN
cdef uint32_t[16] MOVE_LIST


cdef void fill_move_tables() noexcept nogil:
    cdef int32_t moves, move
    for moves in range(16):
        MOVES_IN[moves] = MOVE_LIST[moves] = 0
        for move in range(N_MOVES):
            if moves >> move & 1:
                MOVE_LIST[moves] |= <uint32_t>move << <uint32_t>(2 * MOVES_IN[moves])
                MOVES_IN[moves] += 1


fill_move_tables()


cdef inline int32_t random_move(uint32_t moves, uint64_t bits) noexcept nogil:
    """One of a non-empty set of moves, by the low 16 bits."""
    cdef uint32_t chosen = <uint32_t>((bits & 0xFFFF) * <uint64_t>MOVES_IN[moves] >> 16)
    return <int32_t>(MOVE_LIST[moves] >> (2 * chosen) & 3)


cdef inline label_t random_label(int32_t n_labels, uint64_t bits) noexcept nogil:
    return <label_t>((bits >> 16 & 0xFFFFFF) * <uint64_t>n_labels >> 24)


cdef inline double now() noexcept nogil:
    """For spans of microseconds: cheap to ask, but other processes count."""
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec + 1e-9 * t.tv_nsec


cdef inline double cpu_now() noexcept nogil:
    """For spans of milliseconds and more: this process alone."""
    cdef timespec t
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t)
    return t.tv_sec + 1e-9 * t.tv_nsec


cdef int fill_gold(GoldBlock gold, heads, labels, bint single_root) except -1:
    cdef int32_t[::1] h = array.array("i", heads)
    cdef label_t[::1] b = array.array("i", labels)
    cdef int problem = gold.fill(&h[0], &b[0], <int32_t>h.shape[0], single_root)
    if problem:
        raise ValueError(f"no derivation builds this tree (gold problem {problem})")
    return 0


cdef Timed walk(StackSystem system, StateC* s, Rng seeded, int32_t[::1] lengths, bint alike) noexcept nogil:
    """Random legal transitions from initial to final states; alike: the same for sentences of the same length."""
    cdef Rng rng = seeded
    cdef int32_t i, n_labels = system.n_labels
    cdef uint32_t moves
    cdef uint64_t bits
    cdef Timed timed
    timed.steps = timed.check = 0
    timed.seconds = -cpu_now()
    for i in range(lengths.shape[0]):
        if alike:
            rng = seeded
        system.init(s, lengths[i])
        moves = system.legal(s)
        while moves:
            bits = rng_next(&rng)
            system.apply(s, random_move(moves, bits), random_label(n_labels, bits))
            timed.steps += 1
            moves = system.legal(s)
        timed.check += n_roots(s)
    timed.seconds += cpu_now()
    return timed


cdef class StackWalker:
    """A workspace for walks of one stack system."""
    cdef StackSystem system
    cdef StateBlock states
    cdef GoldBlock gold
    cdef Rng rng

    def __init__(self, StackSystem system, uint64_t seed=0):
        self.system = system
        self.states, self.gold = StateBlock(), GoldBlock()
        rng_seed(&self.rng, seed)

    def weigh(self, cost_t head_weight, cost_t label_weight):
        self.gold.c.head_weight = head_weight
        self.gold.c.label_weight = label_weight

    def complete(self, heads, labels, int32_t random_steps):
        """(best loss after that many random steps, loss of the final state that free actions lead to from there)."""
        cdef int32_t _i
        cdef cost_t best
        cdef StateC* s
        fill_gold(self.gold, heads, labels, self.system.single_root)
        self.states.reserve(1, self.gold.c.n)
        s = self.states.at(0)
        self.system.init(s, self.gold.c.n)
        for _i in range(random_steps):
            if not self.system.is_final(s):
                self.step_random(s)
        best = self.system.best_loss(s, &self.gold.c)
        while not self.system.is_final(s):
            if not self.step_free(s):
                return best, STUCK
        return best, self.system.best_loss(s, &self.gold.c)

    cdef void step_random(self, StateC* s) noexcept nogil:
        cdef uint64_t bits = rng_next(&self.rng)
        self.system.apply(s, random_move(self.system.legal(s), bits), random_label(self.system.n_labels, bits))

    cdef bint step_free(self, StateC* s) except -1 nogil:
        """A random move of no cost, with its gold label or, if the arc is wrong, a random one. False: there is none."""
        cdef cost_t costs[N_MOVES]
        cdef uint32_t free = 0
        cdef int32_t move
        cdef ArcC arc
        cdef uint64_t bits = rng_next(&self.rng)
        cdef label_t label = random_label(self.system.n_labels, bits)
        self.system.move_costs(s, &self.gold.c, costs)
        for move in range(N_MOVES):
            free |= <uint32_t>(costs[move] == 0) << <uint32_t>move
        if free == 0:
            return False
        move = random_move(free, bits)
        if move >= LEFT:
            arc = self.system.arc(s, move)
            if self.gold.c.node[arc.dep].head == arc.head:
                label = self.gold.c.node[arc.dep].label
        self.system.apply(s, move, label)
        return True

    def time_apply(self, int32_t[::1] lengths, bint alike=False):
        """(transitions, check, seconds) of random legal transitions from initial to final states of these lengths.

        alike: the same ones for every sentence of a length, which a processor learns to foresee."""
        cdef Timed timed
        self.states.reserve(1, max(lengths))
        with nogil:
            timed = walk(self.system, self.states.at(0), self.rng, lengths, alike)
        return timed.steps, timed.check, timed.seconds

    def time_costs(self, heads, labels, int32_t wrong):
        """(states costed, check, seconds) along a walk whose steps are random in `wrong` of 256 cases, else free.

        Only the costs are timed: the states of the walk are copied and costed afterwards, each once."""
        cdef int32_t n, count = 0, i, move
        cdef Timed timed
        cdef StateC* s
        cdef cost_t costs[N_MOVES]
        fill_gold(self.gold, heads, labels, self.system.single_root)
        n = self.gold.c.n
        self.states.reserve(2 * n + 2, n)
        s = self.states.at(0)
        self.system.init(s, n)
        while not self.system.is_final(s):
            count += 1
            state_copy(self.states.at(count), s)
            if rng_below(&self.rng, 256) < wrong:
                self.step_random(s)
            else:
                self.step_free(s)
        timed.check = 0
        with nogil:
            timed.seconds = -now()
            for i in range(1, count + 1):
                self.system.move_costs(self.states.at(i), &self.gold.c, costs)
                for move in range(N_MOVES):
                    timed.check += costs[move]
            timed.seconds += now()
        return count, timed.check, timed.seconds


cdef class ListWalker:
    """A workspace for walks of easy-first."""
    cdef EasyFirst system
    cdef ListBlock lists
    cdef GoldBlock gold
    cdef int32_t[::1] to_left, to_right     # costs by word
    cdef int32_t[::1] alive                 # alive[:k]: the words in the list, in any order
    cdef Rng rng

    def __init__(self, EasyFirst system, uint64_t seed=0):
        self.system = system
        self.lists, self.gold = ListBlock(), GoldBlock()
        self.to_left = self.to_right = self.alive = array.array("i", [0])
        rng_seed(&self.rng, seed)

    def weigh(self, cost_t head_weight, cost_t label_weight):
        self.gold.c.head_weight = head_weight
        self.gold.c.label_weight = label_weight

    cdef int reserve(self, int32_t count, int32_t n) except -1:
        if self.alive.shape[0] < n + 1:
            self.to_left = array.array("i", bytes(8 * (n + 1)))
            self.to_right = array.array("i", bytes(8 * (n + 1)))
            self.alive = array.array("i", bytes(8 * (n + 1)))
        return self.lists.reserve(count, n)

    cdef void start(self, ListC* s, int32_t n) noexcept nogil:
        cdef int32_t i
        self.system.init(s, n)
        for i in range(n):
            self.alive[i] = i + 1

    def complete(self, heads, labels, int32_t random_steps):
        """(best loss after that many random steps, loss of the final state that free actions lead to from there)."""
        cdef int32_t _i
        cdef cost_t best
        cdef ListC* s
        fill_gold(self.gold, heads, labels, self.system.single_root)
        self.reserve(1, self.gold.c.n)
        s = self.lists.at(0)
        self.start(s, self.gold.c.n)
        for _i in range(random_steps):
            if not self.system.is_final(s):
                self.step_random(s)
        best = self.system.best_loss(s, &self.gold.c)
        while not self.system.is_final(s):
            if not self.step_free(s):
                return best, STUCK
        return best, self.system.best_loss(s, &self.gold.c)

    cdef void step_random(self, ListC* s) noexcept nogil:
        """A random word of the list goes under a neighbour."""
        cdef uint64_t bits
        cdef int32_t i, dep, head, alive = s.length - (s.leftmost == 0)
        cdef const LinkC* link = links(s)
        while True:
            bits = rng_next(&self.rng)
            i = <int32_t>((bits & 0xFFFFFF) * <uint64_t>alive >> 24)
            dep = self.alive[i]
            head = link[dep].left if bits >> 63 else link[dep].right
            if head >= 0 and self.system.is_legal(s, head, dep):
                break
        self.system.apply(s, head, dep, random_label(self.system.n_labels, bits >> 16))
        self.alive[i] = self.alive[alive - 1]

    cdef bint step_free(self, ListC* s) noexcept nogil:
        """A word that can be attached at no cost, the first from a random one on. False: there is none."""
        cdef const LinkC* link = links(s)
        cdef int32_t i, d, head, tried, alive = s.length - (s.leftmost == 0)
        cdef int32_t start = rng_below(&self.rng, alive)
        self.system.costs(s, &self.gold.c, &self.to_left[0], &self.to_right[0])
        for tried in range(alive):
            i = (start + tried) % alive
            d = self.alive[i]
            if self.to_left[d] == 0 or self.to_right[d] == 0:
                head = link[d].left if self.to_left[d] == 0 else link[d].right
                self.system.apply(s, head, d, self.gold.c.node[d].label)
                self.alive[i] = self.alive[alive - 1]
                return True
        return False

    def time_apply(self, int32_t[::1] lengths):
        cdef Timed timed
        self.reserve(1, max(lengths))
        with nogil:
            timed = self.walk(lengths)
        return timed.steps, timed.check, timed.seconds

    cdef Timed walk(self, int32_t[::1] lengths) noexcept nogil:
        cdef ListC* s = self.lists.at(0)
        cdef int32_t i
        cdef Timed timed
        timed.steps = timed.check = 0
        timed.seconds = -cpu_now()
        for i in range(lengths.shape[0]):
            self.start(s, lengths[i])
            while not self.system.is_final(s):
                self.step_random(s)
                timed.steps += 1
            timed.check += s.roots
        timed.seconds += cpu_now()
        return timed

    def time_costs(self, heads, labels, int32_t wrong):
        """As StackWalker.time_costs; one state's costs are those of all its pairs, both ways."""
        cdef int32_t n, count = 0, i
        cdef Timed timed
        cdef ListC* s
        fill_gold(self.gold, heads, labels, self.system.single_root)
        n = self.gold.c.n
        self.reserve(n + 2, n)
        s = self.lists.at(0)
        self.start(s, n)
        while not self.system.is_final(s):
            count += 1
            list_copy(self.lists.at(count), s)
            if rng_below(&self.rng, 256) < wrong:
                self.step_random(s)
            else:
                self.step_free(s)
        timed.check = 0
        with nogil:
            timed.seconds = -now()
            for i in range(1, count + 1):
                s = self.lists.at(i)
                self.system.costs(s, &self.gold.c, &self.to_left[0], &self.to_right[0])
                timed.check += self.to_left[s.leftmost] + self.to_right[s.leftmost]
            timed.seconds += now()
        return count, timed.check, timed.seconds


def walker(core, uint64_t seed=0):
    """The walker for the core of a system."""
    return ListWalker(core, seed) if isinstance(core, EasyFirst) else StackWalker(core, seed)
