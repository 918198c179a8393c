"""What easy-first adds up: the columns of a line, what words contribute to keys, and the rows under these keys.

Every row is made by the plain way of scoring, template by template.
"""

from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.easy_flat cimport PRESENCE, EasyFlat, RoleC, ShapeC
from parser.compiled.easy_memory cimport (EASY_DENSE, EASY_LANES, EASY_LINE, EASY_PRESENT, EASY_TAIL, EASY_WIDE,
                                          ListMemoryC)
from parser.compiled.memory cimport LINE, ROW_LIMIT, MemoryC
from parser.compiled.table cimport Table, TableC
from parser.feature.extract cimport MAX_NODES, PartC, part_value
from parser.transition.list_state cimport LinkC
from parser.transition.node cimport NodeC

ctypedef fused sum_t:
    int16_t
    int32_t


cdef struct SceneC:         # nodes and their words, looked up once: those of a shape, or the relatives of an element
    const NodeC* nodes
    const LinkC* links
    int32_t node[MAX_NODES]
    const uint64_t* record[MAX_NODES]


cdef class EasyRows(EasyFlat):
    cdef readonly Table table
    cdef TableC rows_of
    cdef readonly int32_t n_columns, n_head
    cdef int32_t n_labels, stride
    cdef readonly int32_t row_width     # of the memory's rows, for a row of all lines
    cdef int32_t* bias_sums             # [n_columns]
    cdef int16_t* bias                  # a line
    # Lines: any attachment, or only those of the right element to the left one; the same without the columns behind the
    # head.
    cdef int16_t* masks
    cdef int16_t* rank                  # a line; those of the columns behind the head have 0
    cdef int32_t* column_of_rank
    cdef int32_t* actions               # of the columns
    cdef int32_t* lane_of               # of the columns: those behind the head share lanes
    cdef int32_t n_blocks               # of EASY_LANES columns behind the head

    # The record of a word from its stored values.
    cdef uint64_t* write_record(self, ListMemoryC* list, uint64_t* record, const feat_t* values) noexcept nogil
    # The same for a word of which only the values are known.
    cdef uint64_t* record_of(self, ListMemoryC* list, const feat_t* values) noexcept nogil
    cdef uint64_t* write_values(self, ListMemoryC* list, uint64_t* record, const feat_t* values,
                                int32_t word) noexcept nogil
    cdef void contribute(self, ListMemoryC* list, const SceneC* scene, int32_t kind, uint64_t* out) noexcept nogil
    cdef uint64_t conditions_of(self, const MemoryC* m, const SceneC* scene) noexcept nogil
    cdef uint64_t make(self, MemoryC* m, const ShapeC* shape, const SceneC* scene, int32_t owner,
                       uint64_t key) noexcept nogil
    cdef void add_to_line(self, const MemoryC* m, const RoleC* role, uint64_t present, const SceneC* scene,
                          uint32_t* lines) noexcept nogil
    cdef uint64_t keep(self, MemoryC* m, uint64_t key, int32_t n_lines, uint32_t lines) noexcept nogil
    cdef uint32_t find_role(self, const MemoryC* m, const RoleC* role, uint64_t present,
                            const SceneC* scene) noexcept nogil
    cdef int32_t write_line(self, const int32_t* found, int32_t* out) noexcept nogil
    cdef uint64_t role_sum(self, const MemoryC* m, const RoleC* role, const SceneC* scene) noexcept nogil
    cdef uint64_t present_of(self, const MemoryC* m, const ShapeC* shape, const SceneC* scene) noexcept nogil
    cdef void add_role(self, const MemoryC* m, const RoleC* role, uint64_t present, const SceneC* scene,
                       int32_t* out) noexcept nogil
    # Adds one line of a row to the scores of all columns.
    cdef void add_line(self, const MemoryC* m, uint64_t row, int32_t line, int32_t* out) noexcept nogil


cdef inline int32_t number_at(const char* nodes, int32_t i, int32_t field) noexcept nogil:
    return (<const int32_t*>(nodes + <Py_ssize_t>i * <Py_ssize_t>sizeof(NodeC) + field))[0]


cdef inline feat_t local_value(const PartC* part, const SceneC* scene) noexcept nogil:
    """ROOT is word 0, before all others."""
    if part.kind == PRESENCE:
        return 1 + (scene.node[part.node] >= 0)
    return part_value(part, scene.node, scene.nodes, scene.links, 0)


cdef inline int32_t fitted(int32_t x) noexcept nogil:
    return max(-<int32_t>ROW_LIMIT, min(x, <int32_t>ROW_LIMIT))


cdef inline int32_t tail_size(const int32_t* found, int32_t first, int32_t n) noexcept nogil:
    cdef int32_t i, count = 0
    for i in range(first, n):
        count += found[i] != 0
    return count


cdef inline char* write_numbers(char* out, const int32_t* found, int32_t first, int32_t n, int32_t room,
                                bint wide) noexcept nogil:
    """Numbers from the first one on, and then 0 as far as there is room. Gives where they end."""
    cdef int32_t i
    for i in range(room):
        if wide:
            (<int16_t*>out)[i] = <int16_t>fitted(found[first + i]) if first + i < n else 0
        else:
            out[i] = <char>found[first + i] if first + i < n else 0
    return out + room * (2 if wide else 1)


cdef inline char* write_sparse(char* out, const int32_t* found, int32_t first, int32_t n) noexcept nogil:
    cdef uint16_t* to = <uint16_t*>out
    cdef int32_t i, count = 0
    for i in range(first, n):
        if found[i] != 0:
            to[1 + 2 * count], to[2 + 2 * count] = <uint16_t>i, <uint16_t>fitted(found[i])
            count += 1
    to[0] = <uint16_t>count
    return out + 2 + 4 * count


cdef inline int32_t n_bits(uint64_t bits) noexcept nogil:
    """Of six."""
    cdef uint64_t pairs = (bits & 21) + (bits >> 1 & 21)
    return <int32_t>((pairs & 3) + (pairs >> 2 & 3) + (pairs >> 4))


cdef inline int32_t line_bytes(uint64_t row) noexcept nogil:
    return 2 * EASY_LANES if row & EASY_WIDE else EASY_LANES


cdef inline void add_sparse(const char* at, sum_t* out, int32_t first) noexcept nogil:
    """out: the scores of columns from the first one on."""
    cdef const uint16_t* numbers = <const uint16_t*>at
    cdef int32_t i
    for i in range(numbers[0]):
        out[numbers[1 + 2 * i] - first] += <int16_t>numbers[2 + 2 * i]


cdef inline const char* tail_of(EasyRows rows, const MemoryC* m, uint64_t row, int32_t line) noexcept nogil:
    """Where a row has what a line has behind the head."""
    cdef const char* at = (m.places.arena + (row >> EASY_LINE) * LINE
                           + n_bits(row >> EASY_PRESENT & 63) * line_bytes(row))
    cdef int32_t before = n_bits(row >> EASY_TAIL & ((1 << line) - 1))
    if row & EASY_DENSE:
        return at + before * rows.n_blocks * line_bytes(row)
    for _ in range(before):
        at += 2 + 4 * (<const uint16_t*>at)[0]
    return at
