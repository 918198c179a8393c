"""The engine of easy-first: scores of pairs of neighbours from sums of list elements; see roles.py.

`EasyEngine` is the plan of a model and read-only; an EasyMemory belongs to one session. Every remembered sum was made
by the plain way of scoring, template by template.
"""

from libc.stdint cimport int16_t, int32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.easy_flat cimport EasyFlat, ProgramC, RoleC, ShapeC
from parser.compiled.easy_memory cimport EasyMemory, ListMemoryC, easy_kernel
from parser.compiled.memory cimport MemoryC, kernel_filter, kernel_set
from parser.compiled.table cimport Table, TableC
from parser.feature.extract cimport MAX_NODES
from parser.transition.list_state cimport LinkC, ListC
from parser.transition.node cimport NodeC


cdef struct SceneC:         # the elements of a shape, looked up once
    const NodeC* nodes
    const LinkC* links
    int32_t node[MAX_NODES]
    const uint64_t* record[MAX_NODES + 1]   # of the nodes' words, and the locals


cdef struct TaskC:          # a shape's sum at an element, being made
    const ShapeC* shape
    int32_t slot
    int32_t first_key
    int32_t n_plain_rows    # from records
    int32_t n_plain_keys
    int32_t n_rich_rows
    int32_t n_rich_keys
    bint plain              # is the plain part made, too?
    bint rich


cdef class EasyEngine(EasyFlat):
    cdef readonly Table table
    cdef readonly str kernel
    cdef const kernel_set* kernels
    cdef const easy_kernel* easy
    cdef TableC rows_of
    cdef kernel_filter filter
    cdef readonly int32_t n_columns
    cdef int32_t n_labels, stride
    cdef readonly int32_t row_width     # of the memory's rows, for a row of all lines
    cdef bint single_root, has_root
    cdef int32_t* bias_sums             # [n_columns]
    cdef int16_t* bias                  # a line
    cdef int16_t* masks                 # two lines: any attachment; only those of the right element to the left one
    cdef int16_t* rank                  # a line; the lane of the columns behind the head has 0
    cdef int32_t* column_of_rank
    cdef int32_t* actions               # of the columns

    cpdef EasyMemory new_memory(self)
    cdef uint64_t* write_record(self, MemoryC* m, uint64_t* record, const feat_t* values) noexcept nogil
    cdef uint64_t* record_of(self, MemoryC* m, const feat_t* values) noexcept nogil

    # Every pair of a sentence whose words are in the memory is scored; begin_list was called.
    cdef void start(self, ListMemoryC* list, const ListC* s) noexcept nogil
    # The slot of the left element of the best pair; its column is in `pick`.
    cdef int32_t choose(self, ListMemoryC* list, const ListC* s) noexcept nogil
    # After `dep` became a dependent of its neighbour `head` (slots): scores what has changed. Gives the pairs that were
    # looked at, at most 7, in `changed`.
    cdef int32_t attached(self, ListMemoryC* list, const ListC* s, int32_t head, int32_t dep,
                          int32_t* changed) noexcept nogil
    # Scores of all columns of a pair, into scores of the memory.
    cdef void all_scores(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil
    cdef bint is_legal(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil

    cdef void refresh(self, ListMemoryC* list, const ListC* s, const int32_t* pairs, int32_t n) noexcept nogil
    cdef void score_pair(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil
    cdef void settle(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil
    cdef void look(self, const ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                   SceneC* scene) noexcept nogil
    cdef int32_t begin(self, ListMemoryC* list, const ListC* s, TaskC* task) noexcept nogil
    cdef int32_t write_program(self, ListMemoryC* list, const ProgramC* p, SceneC* scene, int32_t first, uint64_t* rows,
                               const ShapeC* shape) noexcept nogil
    cdef uint64_t fill_ref(self, ListMemoryC* list, const ShapeC* shape, const SceneC* scene,
                           int32_t lookup) noexcept nogil
    cdef int32_t write_direct(self, ListMemoryC* list, const ProgramC* p, const SceneC* scene,
                              int32_t first) noexcept nogil
    cdef int32_t write_asked(self, ListMemoryC* list, const ShapeC* shape, const SceneC* scene,
                             int32_t first) noexcept nogil
    cdef void finish(self, ListMemoryC* list, const ListC* s, const TaskC* task) noexcept nogil
    cdef void find(self, ListMemoryC* list, const ListC* s, const TaskC* task, int32_t first, int32_t n,
                   uint64_t* rows) noexcept nogil
    cdef uint64_t make(self, ListMemoryC* list, const ShapeC* shape, const SceneC* scene, int32_t owner,
                       uint64_t key) noexcept nogil
    cdef uint64_t keep(self, ListMemoryC* list, uint64_t key, int32_t n_lines) noexcept nogil
    cdef uint64_t role_sum(self, const MemoryC* m, const RoleC* role, const SceneC* scene) noexcept nogil
    cdef uint64_t present_of(self, const MemoryC* m, const ShapeC* shape, const SceneC* scene) noexcept nogil
    cdef void add_role(self, const MemoryC* m, const RoleC* role, uint64_t present, const SceneC* scene,
                       int32_t* out) noexcept nogil
    cdef void add_plain(self, ListMemoryC* list, const ListC* s, const int32_t* window) noexcept nogil
    cdef void add_kept(self, ListMemoryC* list, const int32_t* window) noexcept nogil
