"""Programs of states: what all chunks look up where just these nodes are there, put together when it is first needed.

A session's own. They can be forgotten and made again, when no state is being worked on.
"""

from libc.stdint cimport int32_t, int64_t, uint16_t, uint64_t

from parser.compiled.flat cimport (Flat, LookupC, PieceC, kernel_block, kernel_code, kernel_program,
                                   kernel_programs, kernel_term)
from parser.compiled.memory cimport kernel_coder


cdef enum:
    MANY_STEPS = 256    # of states take as long as asking the system for memory to write code into, and to run it


cdef struct AskedC:             # a lookup of the program that is being made
    const LookupC* lookup
    int32_t number
    const uint16_t* place_of    # of the locals of its piece, in the program


cdef struct RoomC:              # of a program that is being made
    kernel_program* program
    kernel_block* blocks
    kernel_term* terms          # the next free one


cdef class Programs:
    cdef kernel_programs c
    cdef const kernel_coder* coder      # NULL: programs are run step by step;
    cdef kernel_code code       # else here is their code
    cdef Flat flat
    cdef int32_t n              # programs
    cdef int32_t most           # before all are to be forgotten
    cdef readonly int64_t made  # how many were, forgotten ones too,
    cdef readonly int64_t coded     # and how many of them as machine code
    cdef AskedC* asked          # room for the lookups of a program,
    cdef uint16_t* places       # and for the places of its locals
    cdef const PieceC** pieces  # [chunk]

    # From now on programs are written as machine code, too, if the system allows it.
    cdef void write_code(self, const kernel_coder* coder) noexcept
    # What finds the nodes comes first, and stays.
    cdef void write_look(self) noexcept
    # Writes code for all programs that have none, where there is room.
    cdef void write_new(self) noexcept nogil
    cdef void lose_code(self) noexcept nogil
    # Makes the program of a pattern (kernel_pattern) that has none.
    cdef const kernel_program* make(self, uint64_t present) except NULL nogil
    cdef kernel_program* put_together(self, uint64_t present) except NULL nogil
    cdef int32_t find_pieces(self, uint64_t present) noexcept nogil
    cdef kernel_program* reserve(self, int32_t n_pieces, RoomC* room) except NULL nogil
    cdef void pack(self, RoomC* room) noexcept nogil
    cdef void put_refs(self, int32_t n_pieces, RoomC* room) noexcept nogil
    cdef void put_locals(self, int32_t n_pieces, RoomC* room) noexcept nogil
    cdef void put_blocks(self, int32_t n_pieces, RoomC* room) noexcept nogil
    cdef int grow(self) except -1 nogil
    cdef bint is_full(self) noexcept nogil
    cdef void forget(self) noexcept nogil
