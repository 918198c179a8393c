"""The gold tree of a sentence, prepared so that a cost reads only the gold dependents of the two words concerned."""

from libc.stdint cimport int32_t
from libc.stddef cimport size_t

from parser.common cimport cost_t, label_t


cpdef enum GoldProblem:
    GOLD_OK = 0
    GOLD_NO_TREE = 1
    GOLD_NONPROJECTIVE = 2
    GOLD_SEVERAL_ROOTS = 3


cdef struct GoldNode:       # 32 bytes
    int32_t head            # of ROOT: -2, which is no word and no "none"
    label_t label
    int32_t begin           # its dependents are deps[begin:end], ascending
    int32_t right           # the ones to its right are deps[right:end]
    int32_t end
    int32_t spine           # the lowest word >= this one among the last word and its ancestors
    int32_t spare[2]


cdef struct GoldC:          # owned by a GoldBlock
    int32_t n
    int32_t roots           # words under ROOT
    int32_t root            # the first of them
    cost_t head_weight      # loss of a wrong head; 1, or 2 in Chang et al. 2015
    cost_t label_weight     # loss of a right head with a wrong label; 0 unlabelled, else 1
    GoldNode* node          # [0..n]
    int32_t* deps
    char* work              # scratch memory of oracles that need some (gold_scratch)
    size_t work_bytes


cdef class GoldBlock:
    """Owns the gold structure of one sentence at a time; filling it again reuses the memory."""
    cdef GoldC c
    cdef char* memory
    cdef size_t bytes
    # heads[i - 1], labels[i - 1] of word i; labels may be NULL (then all are -1). Weights are left as they were (1, 1).
    cdef int fill(self, const int32_t* heads, const label_t* labels, int32_t n, bint single_root) except -1 nogil


# At least `bytes` of uninitialised memory, valid until the next call; NULL with MemoryError set.
cdef void* gold_scratch(GoldC* g, size_t bytes) except NULL nogil


cdef inline int32_t right_deps_from(const GoldC* g, int32_t i, int32_t front) noexcept nogil:
    """How many gold dependents of i stand at position `front` or later, front > i."""
    cdef int32_t k = g.node[i].end - 1
    cdef int32_t first = g.node[i].right
    while k >= first and g.deps[k] >= front:
        k -= 1
    return g.node[i].end - 1 - k
