"""Working memory for the sentence at hand; see scratch.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.compiled.memory cimport KERNEL_HEAD, Memory, aligned


cdef class Scratch:
    def __cinit__(self):
        memset(&self.c, 0, sizeof(ScratchC))

    def __init__(self, Memory memory not None, int32_t most_lookups, int32_t most_rows, int32_t n_kept,
                 int32_t sign_length, int32_t n_locals):
        """Of an engine: lookups of a state in all, and of a chunk; kept sums, and the length of their signs; locals of
        all chunks."""
        cdef ScratchC* c = &self.c
        cdef size_t n = most_lookups + 9
        self.memory, c.m = memory, &memory.c
        self.sign_bytes = n_kept * sign_length * sizeof(int32_t)
        c.kept = <int16_t*>aligned(n_kept * KERNEL_HEAD * sizeof(int16_t))
        c.most_rows = most_rows
        c.kept_rows = <uint32_t*>aligned(n_kept * c.most_rows * sizeof(uint32_t))
        c.n_kept_rows = <int32_t*>aligned(n_kept * sizeof(int32_t))
        c.signs = <int32_t*>aligned(self.sign_bytes)
        c.values = <uint64_t*>aligned(n_locals * sizeof(uint64_t))
        c.keys, c.rows = <uint64_t*>aligned(n * sizeof(uint64_t)), <uint32_t*>aligned(n * sizeof(uint32_t))
        c.owners = <int32_t*>aligned(n * sizeof(int32_t))

    def __dealloc__(self):
        cdef ScratchC* c = &self.c
        for memory in (<size_t>c.kept, <size_t>c.kept_rows, <size_t>c.n_kept_rows, <size_t>c.signs,
                       <size_t>c.values, <size_t>c.keys, <size_t>c.rows, <size_t>c.owners):
            free(<void*><size_t>memory)

    def counts(self):
        """What the memory did so far."""
        return self.memory.counts()

    cdef int begin(self, int32_t n) except -1 nogil:
        cdef ScratchC* c = &self.c
        self.memory.begin_sentence(n)
        c.of_word = c.m.of_word
        if c.sentence == 0x7FFFFFFF:
            memset(c.signs, 0, self.sign_bytes)
            c.sentence = 0
        c.sentence += 1
        return 0
