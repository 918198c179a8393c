"""Working memory of a session: lanes, each with a sentence that is being parsed.

Sentences are parsed side by side, a state of each at a time: while one waits for memory, another is worked on.
"""

from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

from parser.compiled.flat cimport KERNEL_BEYOND, kernel_work
from parser.compiled.memory cimport Memory, MemoryC
from parser.compiled.programs cimport Programs
from parser.search.base cimport ResultC
from parser.transition.state cimport StateC, nodes, stack

cdef enum:
    LANES = 8               # at most,
    FEWEST = 6              # and at least:
    ROWS_AT_HAND = 400      # as many as have room for so many rows of theirs, which is what a first cache of 48 KB has


cdef struct LaneC:
    kernel_work work        # comes first: lanes are given to kernels as such; its words are the lane's own
    StateC* state
    const int32_t* stack    # of the state
    int32_t room            # words that fit into both
    int16_t* legal          # the mask of the state at hand, where labels decide what is legal
    uint32_t moves          # that are legal: two or more
    ResultC out


cdef class Scratch:
    cdef readonly Memory memory
    cdef MemoryC* m
    cdef readonly Programs programs
    cdef LaneC* lanes           # [LANES]
    cdef LaneC* busy[LANES]     # the first n_busy; the others are free
    cdef int32_t n_busy
    cdef readonly int32_t n_lanes       # that are used
    cdef uint64_t* keys         # of the words of the sentence that comes next,
    cdef int32_t n_keys         # of which there is room for so many

    # A free lane for a sentence of n words, whose records are to be put into work.of_word. If none is busy, rows,
    # records and programs of sentences before may be forgotten; else has_room must have said that they need not.
    cdef LaneC* begin(self, int32_t n) except NULL nogil
    cdef bint has_room(self, int32_t n) noexcept nogil
    # Where keys of n words may be written, until it is called again.
    cdef uint64_t* room_for_keys(self, int32_t n) except NULL nogil
    # The lane that has been begun is busy,
    cdef void occupy(self) noexcept nogil
    # and the i-th that is busy, or all, are free again.
    cdef void leave(self, int32_t i) noexcept nogil
    cdef void leave_all(self) noexcept nogil


cdef inline void await_words(LaneC* lane) noexcept nogil:
    """All that will ever wait in the buffer of the initial state at hand, and what stays as it is in its sentence."""
    cdef const StateC* s = lane.state
    cdef int32_t* waiting = lane.work.waiting
    cdef int32_t i
    lane.stack = stack(s)
    lane.work.scene.nodes, lane.work.scene.root_pos = <const char*>nodes(s), s.root_pos
    for i in range(s.n + 1):
        waiting[i] = i
    waiting[s.n + 1] = 0 if s.end > s.n + 1 else -1
    for i in range(s.n + 2, s.n + 2 + KERNEL_BEYOND):
        waiting[i] = -1


cdef inline void show(LaneC* lane) noexcept nogil:
    """The state that is to be scored next."""
    lane.work.scene.top = lane.stack + (lane.state.depth - 1)
    lane.work.scene.front = lane.work.waiting + lane.state.front
