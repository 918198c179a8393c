"""A greedy parser with compiled weights."""

from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.engine cimport Engine
from parser.compiled.scratch cimport LaneC
from parser.search.base cimport ResultC
from parser.search.greedy cimport GreedyParser
from parser.search.workspace cimport Workspace
from parser.transition.system cimport MoveC


cdef class CompiledParser(GreedyParser):
    cdef readonly Engine engine
    cdef readonly object compiled       # the Compiled that it was made of
    cdef double unit                    # a score in the weights' own measure is so much times the integer
    cdef int16_t* masks                 # [1 << N_MOVES][width]: -1 where the column's move is among them,
    cdef const int16_t* mask_of[16]     # [1 << N_MOVES] where they are; NULL: labels decide what is legal, too
    cdef int32_t* actions               # of the columns
    cdef int32_t* by_rank
    cdef MoveC* choices                 # the same
    cdef int32_t[4] idle                # by move: actions without a column

    # A free lane for a sentence of n words; parses on with the others until there is one.
    cdef LaneC* lane_for(self, Workspace work, int32_t n) except NULL nogil
    # The sentence whose words are in the lane.
    cdef int enter(self, Workspace work, LaneC* lane, int32_t n, const ResultC* out) except -1 nogil
    # One action for every sentence that is being parsed.
    cdef int step(self, Workspace work) except -1 nogil
    cdef void take(self, LaneC* lane, int32_t action) noexcept nogil
    # From a state in which these moves are legal on to the next that has more than one action; to the end: False.
    cdef bint go_on(self, Workspace work, LaneC* lane, uint32_t moves) noexcept nogil
    # The state at hand, in which these moves are legal, is to be scored next.
    cdef void await_score(self, Workspace work, LaneC* lane, uint32_t moves) noexcept nogil
    # The probabilities of the arcs that are about to be made in the first n lanes,
    cdef int write_chances(self, Workspace work, int32_t n) except -1 nogil
    # and of one of them; False: it needs more than 16 bits.
    cdef bint write_odds(self, Workspace work, LaneC* lane, int32_t move) except -1 nogil
    cdef int32_t chosen_move(self, const LaneC* lane) noexcept nogil
    # The columns that are legal, where labels decide that.
    cdef void write_legal(self, Workspace work, LaneC* lane) noexcept nogil
    cdef void spread(self, Workspace work, const int32_t* sums) noexcept nogil
