"""Making the rows that easy-first's sums are made of; see easy_rows.pxd."""

from libc.stdint cimport int16_t, int32_t, int8_t, uint32_t, uint64_t
from libc.stdlib cimport free
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.easy_flat cimport ConditionC, EasyFlat, KeyC, RoleC, ShapeC, ShareC, TermC
from parser.compiled.easy_memory cimport (EASY_DENSE, EASY_LANES, EASY_LINE, EASY_MOVES, EASY_PRESENT, EASY_SIZE,
                                          EASY_TAIL, EASY_WIDE, easy_nth, remember)
from parser.compiled.memory cimport (LINE, ROW_LIMIT, MemoryC, aligned, find_record, new_record, values_of)
from parser.compiled.sums cimport shared_put_32
from parser.compiled.table cimport Table, add_table_row, find_row, may_have_row
from parser.feature.atoms cimport values_key
from parser.feature.extract cimport STORED, Extractor, PartC
from parser.feature.hashing cimport FEATURE_NONE, feature_factor, feature_key
from parser.transition.list_state cimport LinkC
from parser.transition.node cimport NodeC, node_clear

cdef enum:
    HEAD = 50                   # columns with scores of their own, if not all can have them
    DENSE = 24                  # numbers behind the head that take as much room as one for every column


cdef class EasyRows(EasyFlat):
    def __cinit__(self):
        self.bias = self.masks = self.rank = NULL
        self.bias_sums = self.column_of_rank = self.actions = self.lane_of = NULL

    def __init__(self, Table table not None, Extractor extractor not None, layout, actions, int32_t n_labels):
        """actions: of the columns of the table."""
        EasyFlat.__init__(self, extractor, layout)
        self.table, self.rows_of = table, table.c
        self.n_columns, self.n_labels, self.stride = table.n_columns, n_labels, extractor.stride
        # Room for the lines of a row and for all that may follow them, as numbers of 16 bits
        self.row_width = 16 * ((self.n_columns + EASY_LANES - 1) // EASY_LANES * EASY_LANES)
        self.lay_columns(actions)

    def __dealloc__(self):
        free(self.bias)
        free(self.bias_sums)

    def lay_columns(self, actions):
        cdef int32_t column, place, lane
        cdef int32_t numbers[EASY_LANES]
        cdef uint32_t row = find_row(&self.rows_of, feature_key(0))
        self.bias = <int16_t*>aligned(6 * EASY_LANES * sizeof(int16_t))
        self.masks, self.rank = self.bias + EASY_LANES, self.bias + 5 * EASY_LANES
        self.bias_sums = <int32_t*>aligned((3 * self.n_columns + EASY_LANES) * sizeof(int32_t))
        self.actions, self.column_of_rank = self.bias_sums + self.n_columns, self.bias_sums + 3 * self.n_columns
        self.lane_of = self.bias_sums + 2 * self.n_columns
        if row:
            add_table_row(&self.rows_of, row, self.bias_sums)
        self.n_head = self.n_columns if self.n_columns <= EASY_SIZE else HEAD
        for column in range(self.n_columns):
            self.actions[column] = actions[column]
        self.n_blocks = (self.n_columns - self.n_head + EASY_LANES - 1) // EASY_LANES
        for column in range(self.n_columns):    # those with many weights stand first and come into different groups
            self.lane_of[column] = (column if column < self.n_head
                                    else self.n_head + (column - self.n_head) % (EASY_SIZE - self.n_head))
        memset(numbers, 0, sizeof(numbers))
        self.write_line(self.bias_sums, numbers)
        for lane in range(EASY_LANES):
            self.bias[lane] = <int16_t>numbers[lane]    # a single row fits
        for lane in range(self.n_head):
            self.masks[lane] = self.masks[2 * EASY_LANES + lane] = -1
            self.masks[EASY_LANES + lane] = -<int16_t>(self.actions[lane] >= self.n_labels)
            self.masks[3 * EASY_LANES + lane] = self.masks[EASY_LANES + lane]
        for column in range(self.n_head, self.n_columns):
            lane = self.lane_of[column]
            self.masks[lane] = -1
            self.masks[EASY_LANES + lane] |= -<int16_t>(self.actions[column] >= self.n_labels)
        head = range(self.n_head)
        for place, column in enumerate(sorted(head, key=lambda column: actions[column])):
            self.rank[column], self.column_of_rank[place + 1] = place + 1, column

    # Words

    cdef uint64_t* write_record(self, ListMemoryC* list, uint64_t* record, const feat_t* values) noexcept nogil:
        return self.write_values(list, record, values, 1)

    cdef uint64_t* write_values(self, ListMemoryC* list, uint64_t* record, const feat_t* values,
                                int32_t word) noexcept nogil:
        """word: -1 the missing one, 0 ROOT. What an element without dependents contributes to all sums."""
        cdef NodeC nodes[2]
        cdef LinkC link[2]
        cdef SceneC scene
        cdef int32_t i
        cdef MemoryC* m = list.m
        cdef feat_t* kept = <feat_t*>values_of(m, record)
        for i in range(self.stride):
            kept[i] = values[i]
        for i in range(2):
            node_clear(&nodes[i])
            link[i].first, link[i].last = 1, word       # one word, or none
        scene.nodes, scene.links = nodes + 1, link + 1
        scene.record[0], scene.node[0] = record, -1 if word < 0 else 0
        for i in range(1, self.n_relatives):
            scene.record[i], scene.node[i] = m.none, -1
        self.contribute(list, &scene, 0, record)
        self.contribute(list, &scene, 1, record + self.n_plain + self.n_bare)
        record[self.n_contributions - 1] = self.conditions_of(m, &scene)
        return record

    cdef void contribute(self, ListMemoryC* list, const SceneC* scene, int32_t kind, uint64_t* out) noexcept nogil:
        """What an element adds to sums of plain rules and without dependents (kind 0), or of all others (1). scene: its
        relatives. Most of these numbers are the same for many sums."""
        cdef const ShareC* share = self.shares + (self.n_shares[0] if kind == 1 else 0)
        cdef const TermC* term = self.terms + share.first_term
        cdef const int32_t* of = self.share_of + (self.n_plain + self.n_bare if kind == 1 else 0)
        cdef uint64_t* found = list.values
        cdef uint64_t total
        cdef int32_t i
        for i in range(self.n_shares[kind]):
            total = 0
            for _ in range(share[i].n_terms):
                if term.part.kind == STORED:
                    total += scene.record[term.part.node][term.stored] * term.factor
                else:
                    total += local_value(&term.part, scene) * term.factor
                term += 1
            found[i] = total
        for i in range(self.n_rich if kind == 1 else self.n_plain + self.n_bare):
            out[i] = found[of[i]]

    cdef uint64_t conditions_of(self, const MemoryC* m, const SceneC* scene) noexcept nogil:
        cdef const ConditionC* condition = self.element_conditions
        cdef uint64_t found = 0
        cdef int32_t i
        for i in range(self.n_conditions):
            if values_of(m, scene.record[condition[i].node])[condition[i].value] != FEATURE_NONE:
                found |= condition[i].bit
        return found

    cdef uint64_t* record_of(self, ListMemoryC* list, const feat_t* values) noexcept nogil:
        cdef uint64_t key = values_key(values, self.stride)
        cdef uint64_t* record = find_record(list.m, key)
        return record if record != NULL else self.write_record(list, new_record(list.m, key), values)

    # Rows, made the plain way

    cdef uint64_t make(self, MemoryC* m, const ShapeC* shape, const SceneC* scene, int32_t owner,
                       uint64_t key) noexcept nogil:
        """The row of a key, or (~owner) of one role."""
        cdef uint64_t present = self.present_of(m, shape, scene)
        cdef const KeyC* found
        cdef uint32_t lines = 0
        cdef int32_t i
        m.made += 1
        if owner < 0:
            self.add_to_line(m, &self.roles[~owner], present, scene, &lines)
        else:
            found = &self.keys[owner]
            for i in range(found.first_role, found.first_role + found.n_roles):
                self.add_to_line(m, &self.roles[self.role_list[i]], present, scene, &lines)
        return self.keep(m, key, shape.n_lines, lines)

    cdef void add_to_line(self, const MemoryC* m, const RoleC* role, uint64_t present, const SceneC* scene,
                          uint32_t* lines) noexcept nogil:
        """Adds a role's weights to m.found; `lines`: those that have any."""
        cdef uint32_t row = self.find_role(m, role, present, scene)
        cdef int32_t* out = m.found + role.line * self.n_columns
        if row == 0:
            return
        if not lines[0] >> role.line & 1:
            memset(out, 0, self.n_columns * sizeof(int32_t))
            lines[0] |= <uint32_t>1 << role.line
        add_table_row(&self.rows_of, row, out)

    cdef uint64_t keep(self, MemoryC* m, uint64_t key, int32_t n_lines, uint32_t lines) noexcept nogil:
        """Writes the sums in m.found, of some lines, as a row: see easy_kernel.h. There is room, see refresh."""
        cdef uint64_t row = <uint64_t>m.used << EASY_LINE
        cdef char* start = m.places.arena + <size_t>m.used * LINE
        cdef char* at = start
        cdef const int32_t* found
        cdef int32_t line, size, most = 0, count = 0
        cdef int32_t numbers[EASY_MOVES][EASY_LANES]
        for line in range(n_lines):
            found = m.found + line * self.n_columns
            size = self.write_line(found, numbers[line]) if lines >> line & 1 else 0
            if size == 0:
                continue
            row |= <uint64_t>1 << (EASY_PRESENT + line)
            most = max(most, size)
            size = tail_size(found, self.n_head, self.n_columns)
            if size > 0:
                row |= <uint64_t>1 << (EASY_TAIL + line)
                count += size
        if most > ROW_LIMIT:
            shared_put_32(&m.shared.has_wide_rows, 1)
        if most > 127:
            row |= EASY_WIDE
        for line in range(n_lines):
            if line > 0:
                row |= (<uint64_t>n_bits(row >> EASY_PRESENT & ((1 << line) - 1)) << (most > 127)) << easy_nth(line)
            if row >> (EASY_PRESENT + line) & 1:
                at = write_numbers(at, numbers[line], 0, EASY_LANES, EASY_LANES, most > 127)
        if count > DENSE * n_bits(row >> EASY_TAIL & 63):
            row |= EASY_DENSE
        for line in range(n_lines):
            if row >> (EASY_TAIL + line) & 1:
                found = m.found + line * self.n_columns
                at = (write_numbers(at, found, self.n_head, self.n_columns, self.n_blocks * EASY_LANES, most > 127)
                      if row & EASY_DENSE else write_sparse(at, found, self.n_head, self.n_columns))
        m.used += <uint32_t>((at - start + LINE - 1) // LINE)
        remember(m, key, row)
        return row

    cdef int32_t write_line(self, const int32_t* found, int32_t* out) noexcept nogil:
        """From the scores of all columns; gives a bound of their size. 0: nothing is written."""
        cdef int32_t i, group, high = 0, low = 0, n_groups = EASY_SIZE - self.n_head
        for i in range(self.n_columns):
            high = max(high, found[i])
            low = min(low, found[i])
        if high == 0 and low == 0:
            return 0
        for i in range(min(self.n_columns, <int32_t>EASY_SIZE)):
            out[i] = fitted(found[i])           # columns of the head, and the first of each group
        for i in range(self.n_columns, EASY_LANES):
            out[i] = 0
        i = EASY_SIZE
        while i < self.n_columns:
            for group in range(min(n_groups, self.n_columns - i)):
                out[self.n_head + group] = max(out[self.n_head + group], fitted(found[i + group]))
            i += n_groups
        out[EASY_SIZE] = min(max(high, -low), <int32_t>0x7FFF)
        return max(high, -low)

    cdef uint64_t role_sum(self, const MemoryC* m, const RoleC* role, const SceneC* scene) noexcept nogil:
        cdef const PartC* part = self.parts + role.first_part
        cdef uint64_t total = role.seed
        cdef int32_t k
        for k in range(role.n_parts):
            if part[k].kind == STORED:
                total += values_of(m, scene.record[part[k].node])[part[k].other] * feature_factor[k]
            else:
                total += local_value(&part[k], scene) * feature_factor[k]
        return total

    cdef uint64_t present_of(self, const MemoryC* m, const ShapeC* shape, const SceneC* scene) noexcept nogil:
        """The nodes that are there, and above them the conditions that hold."""
        cdef const int32_t* node = self.node_list + shape.first_node
        cdef const ConditionC* condition = self.conditions + shape.first_condition
        cdef uint64_t present = 0
        cdef int32_t i
        for i in range(shape.n_nodes):
            present |= <uint64_t>(scene.node[node[i]] >= 0) << node[i]
        for i in range(shape.n_conditions):
            if values_of(m, scene.record[condition[i].node])[condition[i].value] != FEATURE_NONE:
                present |= condition[i].bit
        return present

    cdef void add_role(self, const MemoryC* m, const RoleC* role, uint64_t present, const SceneC* scene,
                       int32_t* out) noexcept nogil:
        cdef uint32_t row = self.find_role(m, role, present, scene)
        if row != 0:
            add_table_row(&self.rows_of, row, out)

    cdef uint32_t find_role(self, const MemoryC* m, const RoleC* role, uint64_t present,
                            const SceneC* scene) noexcept nogil:
        """The template's row in the table; 0: it has no weights, or does not fire."""
        cdef feat_t key
        if not present & role.any_of or present & role.need != role.need:
            return 0
        key = feature_key(self.role_sum(m, role, scene))
        return find_row(&self.rows_of, key) if may_have_row(&self.rows_of, key) else 0

    cdef void add_line(self, const MemoryC* m, uint64_t row, int32_t line, int32_t* out) noexcept nogil:
        """Adds one line of a row to the scores of all columns."""
        cdef const char* at = (m.places.arena + (row >> EASY_LINE) * LINE
                               + n_bits(row >> EASY_PRESENT & ((1 << line) - 1)) * line_bytes(row))
        cdef int32_t i, n = self.n_head
        if row >> (EASY_PRESENT + line) & 1:
            for i in range(n):
                out[i] += (<const int16_t*>at)[i] if row & EASY_WIDE else (<const int8_t*>at)[i]
        if row >> (EASY_TAIL + line) & 1:
            at = tail_of(self, m, row, line)
            if not row & EASY_DENSE:
                add_sparse(at, out, 0)
                return
            for i in range(self.n_columns - n):
                out[n + i] += (<const int16_t*>at)[i] if row & EASY_WIDE else (<const int8_t*>at)[i]
