from libc.stdint cimport int32_t

from parser.transition.gold cimport GoldC
from parser.transition.state cimport StateC


cdef struct View:           # the configuration one move ahead, without making the move
    int32_t front           # the buffer begins here
    int32_t shifted         # a word pushed on the stack, -1: none
    int32_t dropped         # a word taken from the stack, -1: none


# The largest number of gold arcs still to be built in a tree that can be reached; the stack is not empty.
cdef int32_t table_best(const StateC* s, GoldC* g, View view, bint single_root) except -1 nogil
