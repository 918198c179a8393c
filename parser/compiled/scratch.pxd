"""Working memory for the sentence at hand: its words, the sums kept from state to state, and the state being scored."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t

from parser.compiled.flat cimport MAX_CHUNKS
from parser.compiled.memory cimport Memory, MemoryC, kernel_task
from parser.feature.extract cimport MAX_NODES
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC

cdef struct SceneC:         # a state, looked up once
    const StateC* state
    const NodeC* nodes
    uint64_t present        # bit i: node i is there
    int32_t node[MAX_NODES]
    const uint64_t* record[MAX_NODES]   # of the nodes' words


cdef struct ScratchC:
    MemoryC* m
    uint64_t** of_word      # the records of the sentence's words; [-1] that of the missing one
    int32_t sentence        # a number of its own for each, part of every sign
    int16_t* kept           # heads of the sums of chunks, by slot,
    uint32_t* kept_rows     # [slot][most_rows]: the rows they are made of,
    int32_t* n_kept_rows    # and how many; -1: some are gone
    int32_t most_rows       # of a chunk
    int32_t* signs          # what the sums depend on, by slot
    uint64_t* values        # of the locals of the chunks
    uint64_t* keys          # of their lookups,
    uint32_t* rows          # of chunks whose sums are not kept
    int32_t* owners         # and the lookups
    SceneC scene            # the state that is being scored:
    kernel_task tasks[MAX_CHUNKS]   # chunks whose sums are to be made, the one that is not kept last
    int32_t n_tasks
    int32_t n_kept_tasks    # those whose sums are kept
    int32_t sums[MAX_CHUNKS]    # slots of what is to be added up
    int32_t n_sums


cdef class Scratch:
    cdef readonly Memory memory
    cdef ScratchC c
    cdef size_t sign_bytes

    # A new sentence of n words, whose records are to be put into c.of_word. Rows and records of the one before may be
    # forgotten.
    cdef int begin(self, int32_t n) except -1 nogil
