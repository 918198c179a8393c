from libc.stdint cimport int32_t

from parser.transition.gold cimport GoldC
from parser.transition.state cimport StateC


cdef struct View:           # the configuration one move ahead, without making the move
    int32_t front           # the buffer begins here
    int32_t shifted         # a word pushed on the stack, -1: none
    int32_t dropped         # a word taken from the stack, -1: none


# The largest number of gold arcs, of those still to be built, in a tree reachable from a non-empty stack. -1: no memory.
cdef int32_t table_best(const StateC* s, GoldC* g, View view, bint single_root) except -1 nogil
