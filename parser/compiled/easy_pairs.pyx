"""What a pair of neighbours scores; see easy_pairs.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint64_t
from libc.string cimport memcpy

from parser.compiled.easy_flat cimport WINDOW, NodeOfC, RoleC, ShapeC, StepC
from parser.compiled.easy_memory cimport (EASY_DENSE, EASY_LANES, EASY_LINE, EASY_PRESENT, EASY_SIZE, EASY_TAIL,
                                          EASY_WIDE, N_EASY_KERNELS, PADS, ListMemoryC, easy_kernels, easy_pair)
from parser.compiled.easy_rows cimport EasyRows, SceneC, add_sparse, line_bytes, n_bits, number_at, tail_of
from parser.compiled.memory cimport LINE, ROW_LIMIT, MemoryC, kernel_sets
from parser.compiled.sums cimport shared_get_32
from parser.compiled.table cimport Table
from parser.feature.extract cimport Extractor
from parser.score.keymap cimport PREFETCH
from parser.transition.list_state cimport ListC, links, list_nodes

from parser.compiled.engine import kernel_number


cdef class EasyPairs(EasyRows):
    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels,
                 str kernel=""):
        EasyRows.__init__(self, table, extractor, layout, actions, n_labels)
        self.choose_kernel(kernel)

    def choose_kernel(self, kernel):
        self.kernels = &kernel_sets[<int>kernel_number(kernel)]
        self.kernel = self.kernels.name.decode()
        for i in range(N_EASY_KERNELS):
            if self.kernel.startswith(easy_kernels[i].name.decode()):     # programs are not what it runs
                self.easy = &easy_kernels[i]

    cdef void settle(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        """The best of all columns of a pair of which only a bound is known."""
        cdef int32_t window[WINDOW]
        cdef int32_t top, column, score, best
        list.m.full += 1
        if list.lost:
            self.settle_wide(list, s, left)
            return
        see(list, left, window)
        best = self.column_of_rank[self.sum_head(list, window, self.masks + (3 if left == PADS else 2) * EASY_LANES,
                                                 &top)]
        self.add_tails(list, window)
        for column in range(self.n_head, self.n_columns):
            score = list.m.sums[column - self.n_head]
            if score >= top and not (left == PADS and self.actions[column] < self.n_labels):
                if score > top or self.actions[column] < self.actions[best]:
                    best, top = column, score
        list.pick[left] = best
        set_top(self, list, left, top)

    cdef void settle_wide(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        """The best of all columns, in 32 bits; of equal ones the first action."""
        cdef const int32_t* scores = list.m.scores
        cdef int32_t column, best = -1
        self.all_scores(list, s, left)
        for column in range(self.n_columns):
            if left == PADS and self.actions[column] < self.n_labels:
                continue
            if best < 0 or scores[column] > scores[best] or (scores[column] == scores[best]
                                                             and self.actions[column] < self.actions[best]):
                best = column
        list.pick[left] = best
        set_top(self, list, left, scores[best])

    cdef void add_tails(self, ListMemoryC* list, const int32_t* window) noexcept nogil:
        """Scores of the columns behind the head, into sums; 16 bits are enough. All are on the way before the first is
        added."""
        cdef MemoryC* m = list.m
        cdef const uint64_t* row = list.pair[0].source
        cdef const uint64_t* line = list.pair[0].wide
        cdef const char* at
        cdef int16_t* out = m.sums
        cdef int32_t i, n = self.fetch_tails(list, window)
        for i in range(self.n_columns - self.n_head):
            out[i] = <int16_t>self.bias_sums[self.n_head + i]
        for i in range(n):
            at = tail_of(self, m, row[i], <int32_t>line[i])
            if row[i] & EASY_DENSE:
                self.easy.more(out, at, self.n_blocks, (row[i] & EASY_WIDE) != 0)
            else:
                add_sparse(at, out, self.n_head)

    cdef int32_t fetch_tails(self, ListMemoryC* list, const int32_t* window) noexcept nogil:
        """The rows, and which of their lines, that have something behind the head; gives how many."""
        cdef const uint64_t* row
        cdef uint64_t* found = list.pair[0].source
        cdef uint64_t* lines = list.pair[0].wide
        cdef const char* at
        cdef int32_t i, k, slot, line, n, count = 0
        for i in range(self.n_lines):
            slot, line = window[self.lines[i].place], self.lines[i].line
            row = list.rows + <size_t>slot * self.n_rows + self.lines[i].row
            n = list.counts[<size_t>slot * self.n_shapes + self.lines[i].shape].all
            for k in range(n):
                found[count], lines[count] = row[k], line
                count += row[k] >> (EASY_TAIL + line) & 1
        for i in range(count):
            at = (list.m.places.arena + (found[i] >> EASY_LINE) * LINE
                  + n_bits(found[i] >> EASY_PRESENT & 63) * line_bytes(found[i]))
            PREFETCH(at)
            PREFETCH(at + LINE)
        return count

    cdef void all_scores(self, ListMemoryC* list, const ListC* s, int32_t left) noexcept nogil:
        cdef int32_t window[WINDOW]
        cdef bint is_kept = not (list.lost or shared_get_32(&list.m.shared.has_wide_rows))
        see(list, left, window)
        if is_kept and self.sum_lines(list, window):
            return
        memcpy(list.m.scores, self.bias_sums, self.n_columns * sizeof(int32_t))
        if is_kept:
            self.add_kept(list, window)
        else:
            self.add_plain(list, s, window)

    cdef bint sum_lines(self, ListMemoryC* list, const int32_t* window) noexcept nogil:
        """From the lines of the elements, and what stands behind the head; False: 16 bits are not enough."""
        cdef MemoryC* m = list.m
        cdef int32_t column
        self.sum_head(list, window, self.masks + 2 * EASY_LANES, &column)
        if m.sums[EASY_SIZE] > ROW_LIMIT:
            return False
        for column in range(self.n_head):
            m.scores[column] = m.sums[column]
        self.add_tails(list, window)
        for column in range(self.n_head, self.n_columns):
            m.scores[column] = m.sums[column - self.n_head]
        return True

    cdef int32_t sum_head(self, ListMemoryC* list, const int32_t* window, const int16_t* mask,
                          int32_t* top) noexcept nogil:
        self.gather(list, &list.pair[0], window)
        return self.easy.best(self.bias, &list.pair[0], mask, self.rank, list.m.sums, top)

    cdef void gather(self, ListMemoryC* list, easy_pair* pair, const int32_t* window) noexcept nogil:
        cdef int32_t i
        for i in range(WINDOW):
            pair.rows[i] = list.rows + <size_t>window[i] * self.n_rows
            pair.counts[i] = list.counts + <size_t>window[i] * self.n_shapes
        pair.arena = list.m.places.arena
        self.easy.gather(pair, self.lines, self.n_lines)

    cdef void add_plain(self, ListMemoryC* list, const ListC* s, const int32_t* window) noexcept nogil:
        """Template by template."""
        cdef MemoryC* m = list.m
        cdef const ShapeC* shape
        cdef const RoleC* role
        cdef SceneC scene
        cdef uint64_t present
        cdef int32_t i, k
        for i in range(self.n_lines):
            shape = &self.shapes[self.lines[i].shape]
            self.look(list, s, shape, window[self.lines[i].place], &scene)
            present = self.present_of(m, shape, &scene)
            for k in range(shape.first_role, shape.first_role + shape.n_roles):
                role = &self.roles[self.role_list[k]]
                if role.line == self.lines[i].line:
                    self.add_role(m, role, present, &scene, m.scores)

    cdef void add_kept(self, ListMemoryC* list, const int32_t* window) noexcept nogil:
        """From the rows that the lines were added up from."""
        cdef MemoryC* m = list.m
        cdef const ShapeC* shape
        cdef const uint64_t* rows
        cdef int32_t i, k, slot, n
        for i in range(self.n_lines):
            slot, shape = window[self.lines[i].place], &self.shapes[self.lines[i].shape]
            rows = list.rows + <size_t>slot * self.n_rows + shape.first_row
            n = list.counts[<size_t>slot * self.n_shapes + self.lines[i].shape].all
            for k in range(n):
                self.add_line(m, rows[k], self.lines[i].line, m.scores)

    cdef void look(self, const ListMemoryC* list, const ListC* s, const ShapeC* shape, int32_t slot,
                   SceneC* scene) noexcept nogil:
        cdef const NodeOfC* element = self.elements + shape.first_element
        cdef const StepC* step = self.steps + shape.first_step
        cdef const int32_t* node = self.node_list + shape.first_node
        cdef const char* nodes = <const char*>list_nodes(s)
        cdef int32_t i, place = 0
        scene.nodes, scene.links = list_nodes(s), links(s)
        for i in range(shape.n_elements):
            while place < element[i].place:
                slot = list.element[slot].right
                place += 1
            scene.node[element[i].node] = list.element[slot].word
        for i in range(shape.n_steps):
            scene.node[step[i].node] = number_at(nodes, scene.node[step[i].argument], step[i].field)
        for i in range(shape.n_nodes):
            scene.record[node[i]] = list.of_word[scene.node[node[i]]]
