"""The engine: scores of a state from remembered sums.

`Engine` is the plan of a model and read-only; `Memory` belongs to one session and remembers what groups of templates
added up to: a cache, so forgetting changes nothing but speed. Every entry was made by the plain way of scoring.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport feat_t
from parser.compiled.table cimport Table, TableC
from parser.feature.extract cimport MAX_NODES, Extractor
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC

cdef enum:
    LINE = 64               # bytes: what a processor fetches at once, and the alignment of rows
    MAX_TERMS = 8
    MAX_VALUES = 128        # different values that one pattern's keys are made of
    MAX_WATCHED = 80
    SLOTS_KEPT = 64         # sums remembered for elements of the stack
    SPARSE = 12             # weights that fit into a line
    FEW = 8                 # so many weights are added one by one
    UNFORESEEN = 4          # of them without asking how many there are
    WAYS = 4                # lines in which a key may stand


cdef extern from "parser/compiled/kernel.h":
    enum:
        KERNEL_LANES
        KERNEL_SHORT
        N_KERNEL_SETS
    ctypedef struct kernel_set:
        const char* name
        int (*usable)() noexcept nogil
        void (*sum)(const int16_t* const* rows, int32_t n_long, int32_t n, int32_t blocks, int16_t* out) noexcept nogil
        int32_t (*best)(const int16_t* const* rows, int32_t n_long, int32_t n, int32_t blocks, const int16_t* mask,
                        const int16_t* rank, int16_t* out) noexcept nogil
    const kernel_set* kernel_sets


cdef struct ValueC:         # one number of a key
    int32_t kind            # a PartKind; 0: a stored value of a word
    int32_t node
    int32_t argument        # which stored value; the other node of a distance
    int32_t cap


cdef struct GroupC:
    uint64_t seed
    uint16_t term[MAX_TERMS]    # places among the pattern's values; place 0 holds 0
    int32_t n_terms         # 4 or 8
    int32_t first_rule      # in Engine.rules
    int32_t n_rules
    int32_t spare


cdef struct DirectC:        # a rule whose weights are looked up by its feature key
    uint64_t seed
    uint16_t term[4]        # as in GroupC


cdef struct PatternC:
    int32_t first_value     # in Engine.values
    int32_t n_stored
    int32_t n_values        # the ones behind the stored ones are numbers, as they are
    int32_t n_all           # the ones behind these are numbers made into values of features
    int32_t first_direct
    int32_t n_direct
    int32_t first_group
    int32_t n_groups


cdef struct ChunkC:
    int32_t kind            # as groups.BUFFER, ANCHORED, CROSS
    int32_t anchor          # a node
    int32_t depth           # of an anchor on the stack, from the top; -1: in the buffer
    int32_t first_slot      # where its sums are kept
    uint64_t bit_mask       # the nodes whose presence makes the pattern
    uint64_t gather
    int32_t first_pattern   # in Engine.pattern_of
    int32_t n_nodes
    int32_t nodes[MAX_NODES]
    int32_t n_watched
    int32_t watched[MAX_WATCHED]    # node * 4 + (0 head, 1 outermost left, 2 outermost right)


cdef struct LineC:          # a remembered sum: 64 bytes
    uint64_t key            # 0: empty
    uint32_t dense          # a row of the arena (its first line); 0: all weights are here
    uint16_t n              # the weights here: all, or those a short row has no room for
    uint8_t is_long
    uint8_t is_short
    uint16_t column[SPARSE]
    int16_t value[SPARSE]


cdef struct SceneC:         # a state, looked up once
    const StateC* state
    const NodeC* nodes
    const feat_t* words
    uint64_t present        # bit i: node i is there
    int32_t node[MAX_NODES]
    const feat_t* row[MAX_NODES]    # the values of the nodes' words


cdef struct ListsC:         # rows to be added up, in a Memory
    int32_t n_long
    int32_t n_short
    int32_t n_spare
    bint is_loose           # there are weights in `loose`


cdef struct MemoryC:
    LineC* lines
    int32_t shift           # 64 - log2(lines)
    int16_t* arena
    uint32_t n_lines        # of the arena; behind them are rows for sums that find no room
    uint32_t used           # the first one is not
    int16_t* kept           # sums of chunks, by slot
    int32_t* signs          # what they depend on, by slot
    int16_t* loose          # the weights of short rows
    int16_t* scores
    int16_t* legal          # the mask of the state at hand, where labels decide what is legal
    int16_t* found          # the sum being made
    const int16_t** rows    # long ones from the front on,
    const int16_t** shorts  # short ones here
    uint64_t* keys          # of the groups of a pattern
    uint64_t* direct        # of the rules that are looked up by themselves
    uint32_t* found_rows
    LineC** homes           # of the keys
    int64_t asked           # how often a group was looked up,
    int64_t made            # and how often its sum was not there
    int32_t sentence        # number of the sentence, part of every sign


# Zeroed memory at a multiple of LINE; free() it.
cdef void* aligned(size_t bytes) except NULL


cdef class Memory:
    cdef MemoryC c
    cdef void* lines        # what is to be freed for c.lines
    cdef void* arena        # and for c.arena
    cdef object owner       # the engine it was made for


cdef class Engine:
    cdef readonly Table table
    cdef readonly Extractor extractor
    cdef readonly object chunks_made    # as groups.make_chunks gives them
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef TableC rows_of
    cdef int32_t n_columns, blocks, width, stride, n_nodes, n_chunks, n_slots, most_groups, most_direct, sign_length
    cdef ChunkC* chunks
    cdef PatternC* patterns
    cdef GroupC* groups
    cdef ValueC* values
    cdef DirectC* direct
    cdef int32_t* pattern_of
    cdef int32_t* rules             # places in the extractor
    cdef Pool mem                    # owns the arrays above
    cdef int16_t* bias
    cdef int16_t* rank
    cdef int16_t* zeros

    cdef int lay_chunk(self, ChunkC* c, chunk, plan) except -1
    cdef int lay_patterns(self, ChunkC* c, chunk, plan, place_of, filled) except -1
    cdef dict lay_values(self, PatternC* p, pattern, plan, filled)
    cdef int lay_direct(self, DirectC* d, rule, values, plan) except -1
    cdef int lay_group(self, GroupC* g, group, values, plan, place_of, filled) except -1

    cdef void begin_sentence(self, MemoryC* m) noexcept nogil
    # Scores all columns; gives the rank of the best where mask is set.
    cdef int32_t choose(self, MemoryC* m, const StateC* s, const feat_t* words, const int16_t* mask) noexcept nogil
    # Puts the rows of a chunk's groups on the lists, and the weights of those that have few into `loose`.
    cdef void collect(self, MemoryC* m, ListsC* lists, const ChunkC* chunk, const SceneC* scene) noexcept nogil
    cdef void read_values(self, const PatternC* p, const SceneC* scene, uint64_t* value) noexcept nogil
    cdef int32_t direct_keys(self, MemoryC* m, const PatternC* p, const uint64_t* value) noexcept nogil
    cdef void group_keys(self, MemoryC* m, const PatternC* p, const uint64_t* value) noexcept nogil
    cdef int32_t direct_rows(self, MemoryC* m, int32_t n) noexcept nogil
    cdef const int16_t* chunk_sum(self, MemoryC* m, const ChunkC* chunk, const SceneC* scene) noexcept nogil
    # The long rows stand first; gives the number of all rows.
    cdef int32_t line_up(self, MemoryC* m, ListsC* lists) noexcept nogil
    # Makes a sum that is not remembered. Gives its line.
    cdef LineC* make(self, MemoryC* m, const GroupC* group, uint64_t key, const SceneC* scene,
                     int32_t number) noexcept nogil
    # What a group's templates add up to, one by one, into `found`.
    cdef void add_up(self, MemoryC* m, const GroupC* group, Extractor e, const SceneC* scene) noexcept nogil
