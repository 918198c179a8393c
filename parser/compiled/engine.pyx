"""Scoring states with remembered sums; see groups.py for the plan and engine.pxd for the parts."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

from cymem.cymem cimport Pool

from parser.common cimport feat_t, splitmix64
from parser.compiled.table cimport Table, add_table_row, find_row, home_bucket, may_have_row
from parser.feature.extract cimport (DISTANCE, LABEL, LEFT_SET, LEFT_VALENCY, MAX_NODES, RIGHT_SET, RIGHT_VALENCY,
                                     STORED, Extractor, PartC, RuleC, find_nodes)
from parser.feature.hashing cimport FEATURE_NONE, feature_factor, feature_key
from parser.score.keymap cimport PREFETCH
from parser.transition.node cimport NodeC, head, l1, label, lset, lval, r1, rset, rval
from parser.transition.state cimport StateC
from parser.transition.state cimport nodes as state_nodes

from parser.compiled.groups import ANCHORED, CROSS
from parser.feature.hashing import seed_of
from parser.feature.plan import STEPS


cdef extern from "stdlib.h":
    int posix_memalign(void** memory, size_t alignment, size_t bytes) noexcept nogil

cdef extern from "parser/compiled/kernel.h":
    void ADVISE_HUGE "ARCSPEED_ADVISE_HUGE"(void* memory, size_t bytes) noexcept nogil

cdef enum:
    KIND_BUFFER = 0             # as groups.BUFFER
    KIND_ANCHORED = 1
    KIND_CROSS = 2
    MAX_CHUNKS = 24
    PAGE = 1 << 21
    LINE_BITS = 19              # remembered sums of a session: 32 MiB
    ARENA_BYTES = 3 << 24       # dense ones: 48 MiB

    PLACE_BITS = 11             # so that a factor which gathers the bits of a pattern is soon found
    PLACE_SHIFT = 64 - PLACE_BITS

cdef uint64_t HOME = 0x9E3779B97F4A7C15     # Fibonacci hashing (Knuth 1998, vol. 3, 6.4)


cdef void* aligned(size_t bytes) except NULL:
    """Zeroed memory at a multiple of LINE."""
    cdef void* memory = NULL
    bytes = (max(bytes, <size_t>1) + LINE - 1) // LINE * LINE
    if posix_memalign(&memory, LINE, bytes) != 0:
        raise MemoryError(f"no memory for {bytes} bytes")
    memset(memory, 0, bytes)
    return memory


cdef void* large(size_t bytes, void** memory) except NULL:
    """Zeroed memory of whole large pages inside `memory`, which is to be freed; pages cost nothing until touched."""
    cdef char* start
    memory[0] = calloc(bytes + 2 * <size_t>PAGE, 1)
    if memory[0] == NULL:
        raise MemoryError(f"no memory for {bytes} bytes")
    start = <char*>((<size_t>memory[0] + PAGE - 1) // PAGE * PAGE)
    ADVISE_HUGE(start, (bytes + PAGE - 1) // PAGE * PAGE)
    return start


def kernel_names():
    """Instruction sets that this build has code for and this machine can run, the best last."""
    return [kernel_sets[i].name.decode() for i in range(N_KERNEL_SETS) if kernel_sets[i].usable()]


def mask_of(nodes):
    return sum(1 << node for node in nodes)


def gathering(chunk):
    """A factor that gives each pattern of the chunk a place of its own; see pattern_place."""
    masks = [mask_of(pattern.present) for pattern in chunk.patterns]
    cdef uint64_t seed = 1
    for _ in range(1 << 20):
        factor = splitmix64(&seed)
        if len({(mask * factor & 0xFFFFFFFFFFFFFFFF) >> PLACE_SHIFT for mask in masks}) == len(masks):
            return factor
    raise ValueError(f"no factor for the {len(masks)} patterns of a feature set")


cdef class Memory:
    def __cinit__(self):
        memset(&self.c, 0, sizeof(MemoryC))
        self.lines = self.arena = NULL

    def __init__(self, Engine engine not None):
        cdef MemoryC* m = &self.c
        cdef size_t row = engine.width * sizeof(int16_t)
        self.owner = engine
        m.lines = <LineC*>large(sizeof(LineC) << LINE_BITS, &self.lines)
        m.shift = 64 - LINE_BITS + 2
        m.n_lines = <uint32_t>(ARENA_BYTES // LINE)
        m.used = 1
        m.arena = <int16_t*>large(ARENA_BYTES + MAX_CHUNKS * (engine.most_groups + 1) * row, &self.arena)
        m.kept = <int16_t*>aligned(engine.n_slots * row)
        m.signs = <int32_t*>aligned(engine.n_slots * engine.sign_length * sizeof(int32_t))
        m.loose, m.scores = <int16_t*>aligned(row), <int16_t*>aligned(row)
        m.found, m.legal = <int16_t*>aligned(row), <int16_t*>aligned(row)
        m.rows = <const int16_t**>aligned((engine.most_groups + MAX_CHUNKS + 3) * sizeof(int16_t*))
        m.shorts = <const int16_t**>aligned((engine.most_groups + 1) * sizeof(int16_t*))
        m.keys = <uint64_t*>aligned((engine.most_groups + 1) * sizeof(uint64_t))
        m.direct = <uint64_t*>aligned((engine.most_direct + 1) * sizeof(uint64_t))
        m.homes = <LineC**>aligned((engine.most_groups + 1) * sizeof(LineC*))
        m.found_rows = <uint32_t*>aligned((engine.most_direct + 1) * sizeof(uint32_t))

    def __dealloc__(self):
        cdef MemoryC* m = &self.c
        for memory in (<size_t>self.lines, <size_t>self.arena, <size_t>m.kept, <size_t>m.signs, <size_t>m.loose,
                       <size_t>m.scores, <size_t>m.found, <size_t>m.legal, <size_t>m.rows, <size_t>m.shorts,
                       <size_t>m.keys, <size_t>m.homes, <size_t>m.direct, <size_t>m.found_rows):
            free(<void*><size_t>memory)

    def counts(self):
        """What the cache did so far."""
        cdef int64_t filled = 0
        cdef size_t i
        for i in range(<size_t>1 << LINE_BITS):
            filled += self.c.lines[i].key != 0
        return {"asked": self.c.asked, "made": self.c.made, "lines": filled, "arena": self.c.used,
                "room": self.c.n_lines}

    def forget(self):
        """As if nothing had been parsed."""
        memset(self.c.lines, 0, sizeof(LineC) << LINE_BITS)
        self.c.used = 1

    def limit(self, uint32_t lines):
        """Makes do with so many lines of the arena: for tests of what happens when it is full."""
        self.forget()
        self.c.n_lines = min(max(lines, <uint32_t>1), self.c.n_lines)


cdef class Engine:
    def __cinit__(self):
        self.bias = self.rank = self.zeros = NULL

    def __init__(self, Table table not None, Extractor extractor not None, chunks, actions, str kernel=""):
        """actions: of the columns of the table. kernel: one of kernel_names(), the best by default."""
        self.table, self.extractor, self.chunks_made = table, extractor, chunks
        self.rows_of = table.c
        self.n_columns = table.n_columns
        self.blocks = (self.n_columns + KERNEL_LANES - 1) // KERNEL_LANES
        self.width = self.blocks * KERNEL_LANES
        self.choose_kernel(kernel)
        self.mem = Pool()
        self.lay_out(chunks, extractor)
        self.bias, self.rank = <int16_t*>aligned(2 * self.width), <int16_t*>aligned(2 * self.width)
        self.zeros, self.stride = <int16_t*>aligned(2 * self.width), extractor.stride
        cdef uint32_t row = find_row(&self.rows_of, feature_key(0))
        if row:
            add_table_row(&self.rows_of, row, self.bias)
        for place, column in enumerate(sorted(range(self.n_columns), key=lambda column: actions[column])):
            self.rank[column] = place

    def __dealloc__(self):
        free(self.bias)
        free(self.rank)
        free(self.zeros)

    def choose_kernel(self, kernel):
        usable = kernel_names()
        self.kernel = kernel or usable[len(usable) - 1]
        if self.kernel not in usable:
            raise ValueError(f"no code for {self.kernel!r} here, expected one of {', '.join(usable)}")
        for i in range(N_KERNEL_SETS):
            if kernel_sets[i].name.decode() == self.kernel:
                self.kernels = &kernel_sets[i]

    # The plan as flat arrays

    def lay_out(self, chunks, Extractor extractor):
        plan = extractor.plan
        patterns = [pattern for chunk in chunks for pattern in chunk.patterns]
        groups = [group for pattern in patterns for group in pattern.groups]
        if len(chunks) > MAX_CHUNKS:
            raise ValueError(f"{len(chunks)} parts of a feature set, at most {<int>MAX_CHUNKS}")
        self.n_chunks = <int32_t>len(chunks)
        self.most_groups = <int32_t>max(len(pattern.groups) for pattern in patterns)
        self.most_direct = <int32_t>max(len(pattern.direct) for pattern in patterns)
        self.direct = <DirectC*>self.mem.alloc(sum(len(pattern.direct) for pattern in patterns) + 1, sizeof(DirectC))
        self.chunks = <ChunkC*>self.mem.alloc(len(chunks), sizeof(ChunkC))
        self.patterns = <PatternC*>self.mem.alloc(len(patterns), sizeof(PatternC))
        self.groups = <GroupC*>self.mem.alloc(len(groups) + 1, sizeof(GroupC))
        self.values = <ValueC*>self.mem.alloc((len(patterns) + 1) * MAX_VALUES, sizeof(ValueC))
        self.rules = <int32_t*>self.mem.alloc(sum(len(group.rules) for group in groups) + 1, sizeof(int32_t))
        self.pattern_of = <int32_t*>self.mem.alloc(len(chunks) << PLACE_BITS, sizeof(int32_t))
        self.n_nodes = extractor.n_nodes
        self.n_slots = self.sign_length = 0
        filled = {"pattern": 0, "group": 0, "value": 0, "rule": 0, "pattern_of": 0, "direct": 0}
        place_of = {extractor.rules[i].number: i for i in range(extractor.n_rules)}
        for i, chunk in enumerate(chunks):
            self.lay_chunk(&self.chunks[i], chunk, plan)
            self.lay_patterns(&self.chunks[i], chunk, plan, place_of, filled)

    cdef int lay_chunk(self, ChunkC* c, chunk, plan) except -1:
        c.kind, c.anchor, c.depth = chunk.kind, chunk.anchor, -1
        if chunk.kind == ANCHORED and STEPS[plan.nodes[chunk.anchor][0]] == "stack":
            c.depth = plan.nodes[chunk.anchor][1]
        c.first_slot = self.n_slots
        self.n_slots += 0 if chunk.kind == CROSS else SLOTS_KEPT if c.depth >= 0 else 1
        c.n_nodes, c.n_watched = <int32_t>len(chunk.nodes), 0
        for i, node in enumerate(chunk.nodes):
            c.nodes[i] = node
        c.gather = gathering(chunk)
        c.bit_mask = sum(1 << node for node in chunk.bits)
        for node, side in chunk.watched:
            if (STEPS.index(side), node) not in [plan.nodes[n] for n in chunk.nodes]:
                if c.n_watched == MAX_WATCHED:
                    raise ValueError(f"more than {<int>MAX_WATCHED} nodes with dependents in a feature set")
                c.watched[c.n_watched] = node * 4 + "hlr".index(side)
                c.n_watched += 1
        self.sign_length = max(self.sign_length, 2 + c.n_nodes + c.n_watched)
        return 0

    cdef int lay_patterns(self, ChunkC* c, chunk, plan, place_of, filled) except -1:
        cdef PatternC* p
        c.first_pattern = filled["pattern_of"]
        filled["pattern_of"] += 1 << PLACE_BITS
        for pattern in chunk.patterns:
            self.pattern_of[c.first_pattern + pattern_place(c, mask_of(pattern.present))] = filled["pattern"]
            p = &self.patterns[filled["pattern"]]
            filled["pattern"] += 1
            values = self.lay_values(p, pattern, plan, filled)
            p.first_direct, p.n_direct = filled["direct"], <int32_t>len(pattern.direct)
            for rule in pattern.direct:
                self.lay_direct(&self.direct[filled["direct"]], plan.rules[rule], values, plan)
                filled["direct"] += 1
            p.first_group, p.n_groups = filled["group"], <int32_t>len(pattern.groups)
            for group in pattern.groups:
                self.lay_group(&self.groups[filled["group"]], group, values, plan, place_of, filled)
                filled["group"] += 1
        return 0

    cdef dict lay_values(self, PatternC* p, pattern, plan, filled):
        """Place of every value among those of the pattern; 0 is that of the number 0."""
        stored, others, hashed = {}, {}, {}
        for part in [plan.parts[i] for rule in pattern.direct for i in plan.rules[rule].parts]:
            if part.kind == STORED:
                stored.setdefault((part.node, part.other), None)
            else:
                hashed.setdefault(part, None)
        for group in pattern.groups:
            for node, attributes in group.words:
                stored.setdefault((node, plan.stored_value(attributes)), None)
            for part in sorted(group.parts, key=lambda part: (part.kind, part.node, part.other, part.cap)):
                others.setdefault(part, None)
        if len(stored) + len(others) + len(hashed) >= MAX_VALUES:
            raise ValueError(f"the keys of a feature set depend on more than {<int>MAX_VALUES} values")
        p.first_value, p.n_stored = filled["value"], <int32_t>len(stored)
        p.n_values = p.n_stored + <int32_t>len(others)
        p.n_all = p.n_values + <int32_t>len(hashed)
        places = {}
        for node, value in stored:
            self.values[filled["value"]] = ValueC(STORED, node, value, 0)
            places[node, value] = len(places) + 1
            filled["value"] += 1
        for part in others:
            self.values[filled["value"]] = ValueC(part.kind, part.node, part.other, part.cap)
            places[part] = len(places) + 1
            filled["value"] += 1
        for part in hashed:
            self.values[filled["value"]] = ValueC(part.kind, part.node, part.other, part.cap)
            places["hashed", part] = len(places) + 1
            filled["value"] += 1
        return places

    cdef int lay_direct(self, DirectC* d, rule, values, plan) except -1:
        d.seed = seed_of(rule.template.identity)
        for i in range(4):
            d.term[i] = 0
        for i, part in enumerate(plan.parts[k] for k in rule.parts):
            d.term[i] = values[part.node, part.other] if part.kind == STORED else values["hashed", part]
        return 0

    cdef int lay_group(self, GroupC* g, group, values, plan, place_of, filled) except -1:
        terms = [values[node, plan.stored_value(attributes)] for node, attributes in group.words]
        terms += sorted(values[part] for part in group.parts)
        if len(terms) > MAX_TERMS:
            raise ValueError(f"templates that depend on {len(terms)} values, at most {<int>MAX_TERMS}")
        g.n_terms = 4 if len(terms) <= 4 else 8
        for i in range(MAX_TERMS):
            g.term[i] = terms[i] if i < len(terms) else 0
        g.seed = seed_of(repr((sorted(group.rules), [(n, sorted(a)) for n, a in group.words],
                               sorted((p.kind, p.node, p.other, p.cap) for p in group.parts), sorted(group.absent))))
        g.first_rule, g.n_rules = filled["rule"], <int32_t>len(group.rules)
        for rule in sorted(place_of[rule] for rule in group.rules):
            self.rules[filled["rule"]] = rule
            filled["rule"] += 1
        return 0

    # Scoring

    cdef void begin_sentence(self, MemoryC* m) noexcept nogil:
        """Nothing is kept from one sentence to the next but what groups added up to; and that only as far as there is
        room."""
        if m.sentence == 0x7FFFFFFF:
            memset(m.signs, 0, self.n_slots * self.sign_length * sizeof(int32_t))
            m.sentence = 0
        m.sentence += 1
        if m.used > m.n_lines - m.n_lines // 4:
            memset(m.lines, 0, sizeof(LineC) << LINE_BITS)
            m.used = 1

    cdef int32_t choose(self, MemoryC* m, const StateC* s, const feat_t* words, const int16_t* mask) noexcept nogil:
        cdef SceneC scene
        cdef int32_t i, n
        cdef ListsC lists = ListsC(0, 0, 0, False)
        cdef int32_t n_nodes = self.n_nodes
        cdef const ChunkC* chunk
        cdef const int16_t* sums[MAX_CHUNKS]
        cdef int32_t n_sums = 0
        find_nodes(self.extractor.steps, n_nodes, s, scene.node)
        scene.present = 0
        for i in range(n_nodes):
            scene.present |= <uint64_t>(scene.node[i] >= 0) << i
            scene.row[i] = words + scene.node[i] * self.stride
        scene.state, scene.words, scene.nodes = s, words, state_nodes(s)
        for i in range(self.n_chunks):      # those of which sums are kept come first
            chunk = &self.chunks[i]
            if chunk.kind == KIND_CROSS:
                self.collect(m, &lists, chunk, &scene)
            elif chunk.kind == KIND_BUFFER or scene.node[chunk.anchor] >= 0:
                sums[n_sums] = self.chunk_sum(m, chunk, &scene)
                n_sums += 1
        for i in range(n_sums):
            m.rows[lists.n_long + i] = sums[i]
        lists.n_long += n_sums
        m.rows[lists.n_long] = self.bias
        lists.n_long += 1
        n = self.line_up(m, &lists)
        i = self.kernels.best(m.rows, lists.n_long, n, self.blocks, mask, self.rank, m.scores)
        if lists.is_loose:
            memset(m.loose, 0, self.width * sizeof(int16_t))
        return i

    cdef const int16_t* chunk_sum(self, MemoryC* m, const ChunkC* chunk, const SceneC* scene) noexcept nogil:
        """The chunk's sum, made anew if something that it looks at has changed."""
        cdef int32_t slot = chunk.first_slot, i, n
        cdef int32_t n_nodes = chunk.n_nodes, n_watched = chunk.n_watched
        cdef int32_t* kept
        cdef int16_t* total
        cdef int32_t found, changed
        cdef ListsC lists = ListsC(0, 0, 0, False)
        if chunk.depth >= 0:
            slot += (scene.state.depth - 1 - chunk.depth) & (SLOTS_KEPT - 1)
        kept = m.signs + slot * self.sign_length
        total = m.kept + <size_t>slot * self.width
        changed = kept[0] ^ m.sentence
        kept[0] = m.sentence
        kept += 1
        for i in range(n_nodes):
            found = scene.node[chunk.nodes[i]]
            changed |= kept[i] ^ found
            kept[i] = found
        kept += n_nodes
        for i in range(n_watched):
            found = watched_node(scene.nodes, scene.node[chunk.watched[i] >> 2], chunk.watched[i] & 3)
            changed |= kept[i] ^ found
            kept[i] = found
        if not changed:
            return total
        self.collect(m, &lists, chunk, scene)
        if lists.n_long == 0 and not lists.is_loose:
            m.rows[0] = self.zeros
            lists.n_long = 1
        n = self.line_up(m, &lists)
        self.kernels.sum(m.rows, lists.n_long, n, self.blocks, total)
        if lists.is_loose:
            memset(m.loose, 0, self.width * sizeof(int16_t))
        return total

    cdef int32_t line_up(self, MemoryC* m, ListsC* lists) noexcept nogil:
        if lists.is_loose:
            m.rows[lists.n_long] = m.loose
            lists.n_long += 1
        memcpy(m.rows + lists.n_long, m.shorts, lists.n_short * sizeof(int16_t*))
        return lists.n_long + lists.n_short

    cdef void collect(self, MemoryC* m, ListsC* lists, const ChunkC* chunk, const SceneC* scene) noexcept nogil:
        cdef uint64_t value[MAX_VALUES]
        cdef int32_t place = chunk.first_pattern + pattern_place(chunk, scene.present)
        cdef const PatternC* p = &self.patterns[self.pattern_of[place]]
        cdef LineC* line
        cdef LineC** homes = m.homes
        cdef uint64_t* keys = m.keys
        cdef int16_t* loose = m.loose
        cdef int32_t i, k, n_groups = p.n_groups, n_long = lists.n_long, n_short = lists.n_short, weights = 0
        cdef int32_t n_direct
        self.read_values(p, scene, value)
        n_direct = self.direct_keys(m, p, value)
        self.group_keys(m, p, value)
        n_direct = self.direct_rows(m, n_direct)
        m.asked += n_groups
        for i in range(n_groups):
            line = homes[i]
            if line.key != keys[i]:
                line = find_line(line, keys[i])
                if line == NULL:
                    line = self.make(m, &self.groups[p.first_group + i], keys[i], scene, lists.n_spare)
                    lists.n_spare += 1
            # no branches where none can be foreseen: a row is put on both lists and counts on one, or on none
            m.rows[n_long] = m.shorts[n_short] = row_at(m, line.dense)
            n_long += line.is_long
            n_short += line.is_short
            weights |= line.n
            for k in range(UNFORESEEN):     # those behind the last one add 0
                loose[line.column[k]] = <int16_t>(loose[line.column[k]] + line.value[k])
            for k in range(UNFORESEEN, line.n):
                loose[line.column[k]] = <int16_t>(loose[line.column[k]] + line.value[k])
        for i in range(n_direct):
            add_table_row(&self.rows_of, m.found_rows[i], loose)
        lists.n_long, lists.n_short = n_long, n_short
        lists.is_loose |= (weights | n_direct) != 0

    cdef inline void read_values(self, const PatternC* p, const SceneC* scene, uint64_t* value) noexcept nogil:
        cdef const ValueC* v = self.values + p.first_value
        cdef int32_t i, n_stored = p.n_stored, n_values = p.n_values, n_all = p.n_all
        value[0] = 0
        for i in range(n_stored):
            value[i + 1] = scene.row[v[i].node][v[i].argument]
        for i in range(n_stored, n_values):
            value[i + 1] = state_number(&v[i], scene)
        for i in range(n_values, n_all):
            value[i + 1] = self.extractor.part_value(<const PartC*>&v[i], scene.node, scene.nodes, NULL,
                                                     scene.state.root_pos)

    cdef inline int32_t direct_keys(self, MemoryC* m, const PatternC* p, const uint64_t* value) noexcept nogil:
        """Feature keys of the rules that are looked up by themselves, as far as they may have a row."""
        cdef const DirectC* d = self.direct + p.first_direct
        cdef feat_t* keys = m.direct
        cdef TableC table = self.rows_of
        cdef feat_t key
        cdef int32_t i, n = 0, n_rules = p.n_direct
        for i in range(n_rules):
            key = feature_key(d[i].seed
                              + value[d[i].term[0]] * feature_factor[0] + value[d[i].term[1]] * feature_factor[1]
                              + value[d[i].term[2]] * feature_factor[2] + value[d[i].term[3]] * feature_factor[3])
            keys[n] = key
            n += may_have_row(&table, key)
        for i in range(n):
            PREFETCH(&table.buckets[home_bucket(&table, keys[i])])
        return n

    cdef inline void group_keys(self, MemoryC* m, const PatternC* p, const uint64_t* value) noexcept nogil:
        cdef const GroupC* g = self.groups + p.first_group
        cdef uint64_t* keys = m.keys
        cdef LineC** homes = m.homes
        cdef LineC* lines = m.lines
        cdef int32_t i, k, n_groups = p.n_groups, shift = m.shift
        cdef uint64_t key
        for i in range(n_groups):
            key = (g[i].seed + value[g[i].term[0]] * feature_factor[0] + value[g[i].term[1]] * feature_factor[1]
                   + value[g[i].term[2]] * feature_factor[2] + value[g[i].term[3]] * feature_factor[3])
            if g[i].n_terms > 4:
                for k in range(4, MAX_TERMS):
                    key += value[g[i].term[k]] * feature_factor[k]
            key |= key == 0
            keys[i] = key
            homes[i] = lines + ((key * HOME) >> shift) * WAYS
            PREFETCH(homes[i])

    cdef inline int32_t direct_rows(self, MemoryC* m, int32_t n) noexcept nogil:
        cdef int32_t i, n_found = 0
        cdef uint32_t row
        for i in range(n):
            row = find_row(&self.rows_of, m.direct[i])
            m.found_rows[n_found] = row
            PREFETCH(self.rows_of.rows + row)
            n_found += row != 0
        return n_found

    cdef LineC* make(self, MemoryC* m, const GroupC* group, uint64_t key, const SceneC* scene,
                     int32_t number) noexcept nogil:
        cdef LineC* line = m.lines + ((key * HOME) >> m.shift) * WAYS
        cdef uint16_t columns[SPARSE + FEW + KERNEL_LANES * KERNEL_SHORT + 4]
        cdef int32_t i, k, n, n_head, length, first
        m.made += 1
        self.add_up(m, group, self.extractor, scene)
        k = <int32_t>(key >> 17 & (WAYS - 1))
        for i in range(WAYS - 1, -1, -1):   # the first empty line, else any
            if line[i].key == 0:
                k = i
        line += k
        memset(line, 0, sizeof(LineC))
        line.key = key
        n = list_weights(m.found, self.width, columns, &n_head)
        first = 0
        if n > FEW:
            line.is_long = n - n_head > SPARSE or self.blocks <= KERNEL_SHORT
            line.is_short = not line.is_long
            length = self.blocks if line.is_long else KERNEL_SHORT
            line.dense = m.used
            if m.used + length > m.n_lines:     # no room: not remembered
                line.key, line.dense = 0, m.n_lines + number * self.blocks
            else:
                m.used += length
            memcpy(row_at(m, line.dense), m.found, length * LINE)
            first = n if line.is_long else n_head
        for i in range(first, n):
            line.column[line.n], line.value[line.n] = columns[i], m.found[columns[i]]
            line.n += 1
        return line

    cdef void add_up(self, MemoryC* m, const GroupC* group, Extractor e, const SceneC* scene) noexcept nogil:
        """The plain way: every template of the group by its feature key."""
        cdef const RuleC* rule
        cdef uint64_t present = scene.present
        cdef feat_t total, value
        cdef int32_t i, k, place
        cdef uint32_t row
        memset(m.found, 0, self.width * sizeof(int16_t))
        for i in range(e.n_conditions):
            if scene.row[e.conditions[i].node][e.conditions[i].value] != FEATURE_NONE:
                present |= <uint64_t>1 << (MAX_NODES + i)
        for i in range(group.first_rule, group.first_rule + group.n_rules):
            rule = &e.rules[self.rules[i]]
            if not present & rule.any_of or present & rule.need != rule.need:
                continue
            total = rule.seed
            for k in range(rule.n_parts):
                place = rule.parts[k]
                if place < e.n_stored:
                    value = scene.row[e.stored[place].node][e.stored[place].value]
                else:
                    value = e.part_value(&e.parts[place - e.n_stored], scene.node, scene.nodes, NULL,
                                         scene.state.root_pos)
                total += value * feature_factor[k]
            total = feature_key(total)
            row = find_row(&self.rows_of, total) if may_have_row(&self.rows_of, total) else 0
            if row:
                add_table_row(&self.rows_of, row, m.found)


cdef inline int32_t pattern_place(const ChunkC* chunk, uint64_t present) noexcept nogil:
    """Which of the chunk's nodes are there, as a small number: the bits gathered by one multiplication."""
    return <int32_t>(((present & chunk.bit_mask) * chunk.gather) >> PLACE_SHIFT)


cdef inline LineC* find_line(LineC* line, uint64_t key) noexcept nogil:
    """The line of a key among the WAYS where it may stand; NULL: it is not there."""
    cdef int32_t i
    for i in range(1, WAYS):
        if line[i].key == key:
            return &line[i]
    return NULL


cdef inline int16_t* row_at(const MemoryC* m, uint32_t line) noexcept nogil:
    """A row of the arena; the spare ones are taken for its continuation."""
    return m.arena + <size_t>line * KERNEL_LANES


cdef inline int32_t list_weights(const int16_t* found, int32_t width, uint16_t* columns,
                                 int32_t* n_head) noexcept nogil:
    """The columns that are not 0, as far as that matters: no more behind the head than a line has room for, and one.

    n_head: those that a short row has room for.
    """
    cdef int32_t i, k, n = 0, n_short = min(width, <int32_t>(KERNEL_SHORT * KERNEL_LANES))
    for i in range(0, n_short, 4):
        if (<const uint64_t*>(found + i))[0] != 0:
            for k in range(i, i + 4):
                columns[n] = <uint16_t>k
                n += found[k] != 0
    n_head[0] = n
    for i in range(n_short, width, 4):
        if (<const uint64_t*>(found + i))[0] != 0:
            for k in range(i, i + 4):
                columns[n] = <uint16_t>k
                n += found[k] != 0
            if n - n_head[0] > SPARSE:
                break
    return n


cdef inline int32_t watched_node(const NodeC* nodes, int32_t i, int32_t side) noexcept nogil:
    return head(nodes, i) if side == 0 else l1(nodes, i) if side == 1 else r1(nodes, i)


cdef inline uint64_t state_number(const ValueC* v, const SceneC* scene) noexcept nogil:
    """A number that says what the extractor's value says, 0 where something is missing."""
    cdef const NodeC* nodes = scene.nodes
    cdef int32_t i = scene.node[v.node], root_pos = scene.state.root_pos, other, distance
    if i < 0:
        return 0
    if v.kind == LABEL:
        return <uint64_t>(label(nodes, i) + 2)
    if v.kind == LEFT_VALENCY:
        return <uint64_t>(min(lval(nodes, i), v.cap) + 1)
    if v.kind == RIGHT_VALENCY:
        return <uint64_t>(min(rval(nodes, i), v.cap) + 1)
    if v.kind == LEFT_SET:
        return lset(nodes, i) + 1
    if v.kind == RIGHT_SET:
        return rset(nodes, i) + 1
    if v.kind == DISTANCE:
        other = scene.node[v.argument]
        if other < 0:
            return 0
        distance = (other if other > 0 else root_pos) - (i if i > 0 else root_pos)
        distance = distance if distance > 0 else -distance
        return <uint64_t>(min(distance, v.cap if v.cap > 0 else 10) + 1)
    return <uint64_t>((lval(nodes, i) + rval(nodes, i) == 0) + 1)
