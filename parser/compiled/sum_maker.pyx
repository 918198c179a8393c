"""Sums of rows that are not remembered yet; see sum_maker.pxd."""

from cython cimport final
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.string cimport memset

from parser.common cimport feat_t
from parser.compiled.copies cimport find_copy, keep_copy, place_of_copy
from parser.compiled.flat cimport KERNEL_KEYS, Flat, LookupC, kernel_program, kernel_ref, kernel_scene, kernel_work
from parser.compiled.memory cimport (KERNEL_HEAD, KERNEL_LANES, KERNEL_PARTS, LINE, ROW_OF_ZEROS, MemoryC, is_kept,
                                     keep_row, keep_sum, kernel_home, kernel_key, kernel_mix, kernel_range,
                                     kernel_unmix, lane_of, lines_up_to, look_beside, look_up, part_of, place_for,
                                     remember, values_of)
from parser.compiled.table cimport (RowC, Table, add_table_row, column_in, fetch_row, find_row, may_have_row,
                                    open_row, value_in)
from parser.feature.extract cimport MAX_NODES, Extractor, RuleC, part_value
from parser.feature.hashing cimport FEATURE_NONE, feature_factor, feature_key
from parser.score.keymap cimport PREFETCH
from parser.transition.node cimport NodeC


cdef class SumMaker(Flat):
    def __init__(self, Table table not None, Extractor extractor not None, layout, int32_t n_labels):
        Flat.__init__(self, extractor, layout, n_labels)
        self.table, self.rows_of, self.n_columns = table, table.c, table.n_columns
        self.blocks = max(lane_of(self.n_columns - 1) // KERNEL_LANES + 1, KERNEL_HEAD // KERNEL_LANES)
        self.width = self.blocks * KERNEL_LANES

    cdef void ask(self, const MemoryC* m, kernel_work* work) noexcept nogil:
        cdef const kernel_scene* scene = &work.scene
        cdef uint64_t present = self.present_of(m, scene)
        cdef int32_t i, k, n = 0, n_refs = work.program.n_refs
        work.n_unknown = work.n_features = 0
        for k in range(n_refs + work.n_keys):       # no branch: which are new is hard to predict
            work.unknown[n] = k
            n += work.rows[k] == 0
        for i in range(n):
            k = work.unknown[i]
            if k >= n_refs:
                work.rows[k] = look_beside(m, self.key_of_row(m, work, k))
                if work.rows[k] != 0:
                    continue
            work.unknown[work.n_unknown] = k
            work.n_unknown += 1
            if is_feature(work, k):
                self.write_feature(m, k, work)
            else:
                self.write_features(m, self.lookup_of(work, k), present, work)
            if k < n_refs:      # where other keys stand has been read
                PREFETCH(kernel_home(&m.places, self.key_of(&work.program.refs[k], scene)))

    cdef void find(self, const MemoryC* m, kernel_work* work) noexcept nogil:
        cdef int32_t i
        for i in range(work.n_features):
            work.features[i] = self.row_of(work.features[i])
            PREFETCH(self.rows_of.rows + work.features[i])
            PREFETCH(place_of_copy(&m.copies, <uint32_t>work.features[i]))

    cdef void make_rows(self, MemoryC* m, kernel_work* work) noexcept nogil:
        cdef int32_t i, k, n_refs = work.program.n_refs, n = 0
        for i in range(work.n_unknown):
            k = work.unknown[i]
            if is_feature(work, k):
                work.rows[k] = self.copy(m, self.key_of_row(m, work, k), <uint32_t>work.features[n])
                n += 1
                continue
            if k < n_refs:
                work.rows[k] = self.fill_ref(m, &work.program.refs[k], &work.scene, work.features + n)
            else:
                work.rows[k] = self.make(m, self.lookup_of(work, k), self.key_of_row(m, work, k), work.features + n)
            n += self.lookup_of(work, k).n_rules

    @final
    cdef inline uint64_t key_of_row(self, const MemoryC* m, const kernel_work* work, int32_t k) noexcept nogil:
        cdef int32_t key = k - work.program.n_refs
        return kernel_key(&m.places, work.told[key], work.home[key])

    @final
    cdef inline const LookupC* lookup_of(self, const kernel_work* work, int32_t k) noexcept nogil:
        cdef const kernel_program* p = work.program
        cdef int32_t key = k - p.n_refs
        if key < 0:
            return &self.lookups[p.refs[k].lookup]
        return &self.lookups[p.blocks[key // KERNEL_KEYS].owner[key % KERNEL_KEYS]]

    @final
    cdef uint32_t fill_ref(self, MemoryC* m, const kernel_ref* ref, const kernel_scene* scene,
                           const feat_t* features) noexcept nogil:
        """What a reference of a record is to be: words that agree in what the templates ask share a row."""
        cdef const LookupC* lookup = &self.lookups[ref.lookup]
        cdef uint64_t* record = <uint64_t*>scene.record[ref.node]
        cdef uint32_t row = self.make(m, lookup, self.key_of(ref, scene), features)
        if is_kept(row):
            (<uint32_t*>record)[ref.at] = row
        return row

    @final
    cdef inline uint64_t key_of(self, const kernel_ref* ref, const kernel_scene* scene) noexcept nogil:
        cdef const LookupC* lookup = &self.lookups[ref.lookup]
        return kernel_mix(lookup.seed + scene.record[ref.node][lookup.slot])

    @final
    cdef uint32_t make(self, MemoryC* m, const LookupC* lookup, uint64_t key, const feat_t* features) noexcept nogil:
        """The sum of the templates' rows. key: mixed."""
        cdef uint32_t row = look_up(m, key)     # another lane may have made it since it was looked for
        cdef uint32_t last = 0
        cdef int32_t i, n = 0
        if row != 0:
            return row
        m.made += 1
        for i in range(lookup.n_rules):
            if features[i] != 0:
                last = <uint32_t>features[i]
                n += 1
        if n <= 1:
            return self.copy_under(m, key, last)
        memset(m.found, 0, self.width * sizeof(int32_t))
        for i in range(lookup.n_rules):
            if features[i] != 0:
                add_table_row(&self.rows_of, <uint32_t>features[i], m.found)
        return keep_sum(m, key, self.width)

    @final
    cdef uint32_t copy(self, MemoryC* m, uint64_t key, uint32_t at) noexcept nogil:
        """The row of a single template, as it stands in the table; at: there, 0: it has none. key: mixed."""
        cdef uint32_t row = look_up(m, key)
        if row != 0:
            return row
        m.made += 1
        return self.copy_under(m, key, at)

    @final
    cdef uint32_t copy_under(self, MemoryC* m, uint64_t key, uint32_t at) noexcept nogil:
        cdef uint32_t row = ROW_OF_ZEROS if at == 0 else find_copy(&m.copies, at)
        cdef RowC found
        if row != 0:
            remember(m, key, row)
            return row
        open_row(&self.rows_of, at, &found)
        row = place_for(m, self.width)
        self.write_row(m, &found, key, row)
        if is_kept(row):
            keep_copy(&m.copies, at, row)
        return row

    @final
    cdef void write_row(self, MemoryC* m, const RowC* found, uint64_t key, uint32_t row) noexcept nogil:
        cdef int16_t* out = <int16_t*>(m.places.arena + row)
        cdef kernel_range parts[KERNEL_PARTS]
        cdef kernel_range* part
        cdef int32_t i, lane = lane_of(column_in(found, found.n - 1)), value    # columns ascend: this is the last
        memset(parts, 0, sizeof(parts))
        memset(out, 0, LINE * lines_up_to(part_of(lane), self.width))
        for i in range(found.n):
            lane, value = lane_of(column_in(found, i)), value_in(found, i)
            part = &parts[part_of(lane)]
            out[lane] = <int16_t>value
            part.most, part.least = max(part.most, value), min(part.least, value)
        keep_row(m, key, row, self.width, parts)

    @final
    cdef inline void write_feature(self, const MemoryC* m, int32_t k, kernel_work* work) noexcept nogil:
        """Of a single template, whose key the state has found already."""
        cdef feat_t feature = kernel_unmix(self.key_of_row(m, work, k))
        work.features[work.n_features] = feature
        work.n_features += 1
        fetch_row(&self.rows_of, feature)

    @final
    cdef void write_features(self, const MemoryC* m, const LookupC* lookup, uint64_t present,
                             kernel_work* work) noexcept nogil:
        """The feature keys of a lookup's templates, 0 for those that do not fire."""
        cdef feat_t* out = work.features + work.n_features
        cdef int32_t i
        for i in range(lookup.n_rules):
            out[i] = key_of_template(m, self.extractor, self.rules[lookup.first_rule + i], present, &work.scene)
            fetch_row(&self.rows_of, out[i])
        work.n_features += lookup.n_rules

    cdef uint64_t present_of(self, const MemoryC* m, const kernel_scene* scene) noexcept nogil:
        """The nodes that are there, and above them the conditions that hold."""
        cdef uint64_t present = scene.present
        cdef int32_t i
        for i in range(self.extractor.n_conditions):
            if values_of(m, scene.record[self.extractor.conditions[i].node])[self.extractor.conditions[i].value] \
                    != FEATURE_NONE:
                present |= <uint64_t>1 << (MAX_NODES + i)
        return present

    cdef inline uint32_t row_of(self, feat_t feature) noexcept nogil:
        return find_row(&self.rows_of, feature) if feature != 0 and may_have_row(&self.rows_of, feature) else 0


cdef inline bint is_feature(const kernel_work* work, int32_t k) noexcept nogil:
    """Is the k-th row of a state that of a single template, and its key the template's?"""
    return k >= work.program.n_refs + work.program.n_keys


cdef feat_t key_of_template(const MemoryC* m, Extractor e, int32_t place, uint64_t present,
                            const kernel_scene* scene) noexcept nogil:
    cdef const RuleC* rule = &e.rules[place]
    cdef feat_t total = rule.seed, value
    cdef int32_t k
    if not present & rule.any_of or present & rule.need != rule.need:
        return 0
    for k in range(rule.n_parts):
        place = rule.parts[k]
        if place < e.n_stored:
            value = values_of(m, scene.record[e.stored[place].node])[e.stored[place].value]
        else:
            value = part_value(&e.parts[place - e.n_stored], scene.node, <const NodeC*>scene.nodes, NULL,
                               scene.root_pos)
        total += value * feature_factor[k]
    return feature_key(total)
