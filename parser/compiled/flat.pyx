"""Laying out the programs of a model; see flat.pxd."""

from libc.stdint cimport int32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport splitmix64
from parser.feature.extract cimport (DISTANCE, LABEL, LEFT_SET, LEFT_VALENCY, RIGHT_SET, RIGHT_VALENCY, Extractor,
                                     distance_value)
from parser.feature.hashing cimport FEATURE_FACTORS, FEATURE_NONE, feature_factor, feature_number
from parser.transition.node cimport NodeC, label_hash

from parser.compiled.groups import ANCHORED, CROSS
from parser.compiled.program import LOCAL, watched
from parser.feature.plan import STEPS

NUMBERS = (LABEL, LEFT_VALENCY, RIGHT_VALENCY)      # kinds of locals that are one of a few numbers of a node
SETS = (LEFT_SET, RIGHT_SET)
COARSEST = 10       # distances from here on are one


cdef dict fields_of_a_node():
    """Where the numbers stand that locals are made of, and those that lead to other nodes."""
    cdef NodeC node
    cdef char* start = <char*>&node
    return {LEFT_SET: <char*>&node.set[0] - start, RIGHT_SET: <char*>&node.set[1] - start,
            LABEL: <char*>&node.label - start, LEFT_VALENCY: <char*>&node.valency[0] - start,
            RIGHT_VALENCY: <char*>&node.valency[1] - start, "h": <char*>&node.head - start,
            "l": <char*>&node.outer[0] - start, "r": <char*>&node.outer[1] - start, "sib": <char*>&node.sib - start}


def sort_of(kind):
    """How a local is read."""
    return 0 if kind in NUMBERS else 1 if kind == DISTANCE else 2 if kind in SETS else 3


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


cdef class Flat:
    def __init__(self, Extractor extractor not None, layout, int32_t n_labels):
        self.extractor, self.layout, self.n_labels, self.products = extractor, layout, n_labels, {}
        self.mem = Pool()
        self.lay_out(layout, extractor)

    def lay_out(self, layout, Extractor extractor):
        chunks = layout.chunks
        programs = [program for number in range(len(chunks)) for program in layout.programs[number]]
        every = [[ref.lookup for ref in p.refs] + [*p.lookups, *p.direct] for p in programs]
        if len(chunks) > MAX_CHUNKS:
            raise ValueError(f"{len(chunks)} parts of a feature set, at most {<int>MAX_CHUNKS}")
        self.n_chunks, self.n_nodes = <int32_t>len(chunks), extractor.n_nodes
        self.n_slots, self.n_refs = <int32_t>len(layout.slots), <int32_t>len(layout.refs)
        sizes = [[sum(map(len, (p.refs, p.lookups, p.direct))) for p in layout.programs[i]] for i in range(len(chunks))]
        self.all_lookups = <int32_t>sum(map(max, sizes)) + 8 * self.n_chunks
        self.most_lookups = <int32_t>max(map(max, sizes), default=0) + 8
        self.n_kept_chunks = <int32_t>sum(chunk.kind != CROSS for chunk in chunks)
        self.n_crossing = self.n_chunks - self.n_kept_chunks    # one at most
        self.chunks = <ChunkC*>self.mem.alloc(len(chunks), sizeof(ChunkC))
        self.programs = <ProgramC*>self.mem.alloc(len(programs), sizeof(ProgramC))
        self.lookups = <LookupC*>self.mem.alloc(sum(map(len, every)) + 1, sizeof(LookupC))
        self.rules = <int32_t*>self.mem.alloc(sum(len(k.rules) for found in every for k in found) + 1, sizeof(int32_t))
        self.lay_slots(layout.slots)
        looked_at = [list(watched(layout.plan, chunk)) for chunk in chunks]
        self.watched = <int32_t*>self.mem.alloc(sum(map(len, looked_at)) + 1, sizeof(int32_t))
        self.sign_length = 1 + <int32_t>max(map(len, looked_at))
        self.lay_steps(layout.plan)
        filled = dict.fromkeys(("key", "program", "lookup", "rule", "watched"), 0)
        place_of = {extractor.rules[i].number: i for i in range(extractor.n_rules)}
        for i, chunk in enumerate(chunks):
            self.lay_chunk(&self.chunks[i], chunk, layout.plan, looked_at[i], layout.programs[i], filled)
            for pattern, program in zip(chunk.patterns, layout.programs[i], strict=True):
                place = pattern_place(&self.chunks[i], mask_of(pattern.present))
                self.chunks[i].programs[place] = &self.programs[<int>filled["program"]]
                self.lay_program(&self.programs[filled["program"]], program, place_of, filled)
                filled["program"] += 1

    def lay_slots(self, slots):
        self.slot_value = <int32_t*>self.mem.alloc(self.n_slots + 1, sizeof(int32_t))
        self.slot_factor = <uint64_t*>self.mem.alloc(self.n_slots + 1, sizeof(uint64_t))
        for (value, place), number in slots.items():
            self.slot_value[number], self.slot_factor[number] = value, factor_of(place)

    cdef int lay_chunk(self, ChunkC* c, chunk, plan, looked_at, programs, filled) except -1:
        c.kind, c.anchor, c.depth = chunk.kind, chunk.anchor, -1
        if chunk.kind == ANCHORED and STEPS[plan.nodes[chunk.anchor][0]] == "stack":
            c.depth = plan.nodes[chunk.anchor][1]
        c.first_kept = self.n_kept
        self.n_kept += 0 if chunk.kind == CROSS else SLOTS_KEPT if c.depth >= 0 else 1
        c.gather = gathering(chunk)
        c.bit_mask = sum(1 << node for node in chunk.bits)
        c.first_key = filled["key"]
        filled["key"] += 8 + max(len(p.refs) + len(p.lookups) + len(p.direct) for p in programs)
        c.first_local, c.first_watched = (<int32_t>(c - self.chunks)) * MAX_LOCALS, filled["watched"]
        c.programs = <const ProgramC**>self.mem.alloc(1 << PLACE_BITS, sizeof(void*))
        numbers = [node for node, side in looked_at if not side]
        c.n_plain, c.n_watched = <int32_t>len(numbers), <int32_t>len(looked_at)
        for number in numbers + [node * 4 + "hlr".index(side) for node, side in looked_at if side]:
            self.watched[filled["watched"]] = number
            filled["watched"] += 1
        return 0

    cdef int lay_program(self, ProgramC* p, program, place_of, filled) except -1:
        order = sorted(range(len(program.locals)), key=lambda i: sort_of(program.locals[i].part.kind))
        place = {number: i for i, number in enumerate(order)}
        cdef kernel_block* blocks
        cdef kernel_ref* refs = <kernel_ref*>self.mem.alloc(len(program.refs) + 1, sizeof(kernel_ref))
        self.lay_locals(p, program, order)
        sums, direct = list(in_blocks(program.lookups)), list(in_blocks(program.direct))
        blocks = <kernel_block*>self.mem.alloc(len(sums) + len(direct) + 1, sizeof(kernel_block))
        for i, lookups in enumerate(sums + direct):
            self.lay_block(&blocks[i], lookups, place, place_of, filled)
        for i, ref in enumerate(program.refs):
            refs[i] = kernel_ref(ref.node, 2 * self.n_slots + ref.slot, filled["lookup"])
            self.lay_lookup(ref.lookup, ref.lookup.terms[0].slot, place_of, filled)
        p.c = kernel_program(blocks, refs, <int32_t>(len(sums) + len(direct)), <int32_t>len(sums),
                             <int32_t>len(program.refs))
        return 0

    cdef int lay_locals(self, ProgramC* p, program, order) except -1:
        cdef LocalC* locals_ = <LocalC*>self.mem.alloc(len(program.locals) + 1, sizeof(LocalC))
        if len(program.locals) > MAX_LOCALS:
            raise ValueError(f"the keys of a feature set depend on more than {<int>MAX_LOCALS} values of the tree")
        for i, number in enumerate(order):
            self.lay_local(&locals_[i], program.locals[number])
        p.locals, p.n_locals = locals_, <int32_t>len(program.locals)
        kinds = [sort_of(found.part.kind) for found in program.locals]
        p.n_numbers, p.n_distances, p.n_sets = [<int32_t>sum(kind <= last for kind in kinds) for last in range(3)]
        return 0

    cdef int lay_block(self, kernel_block* block, lookups, place, place_of, filled) except -1:
        """Up to eight lookups. place: of the locals."""
        cdef kernel_term* terms
        cdef kernel_part* parts
        words = {}
        numbers = {}
        for i, lookup in enumerate(lookups):
            for term in lookup.terms:
                if term.node == LOCAL:
                    numbers[place[term.slot]] = numbers.get(place[term.slot], 0) | 1 << i
                else:
                    words.setdefault((term.node, term.slot // KERNEL_KEYS), {})[i] = term.slot % KERNEL_KEYS
        terms = <kernel_term*>self.mem.alloc(len(words) + 1, sizeof(kernel_term))
        parts = <kernel_part*>self.mem.alloc(len(numbers) + 1, sizeof(kernel_part))
        for i, ((node, vector), picks) in enumerate(sorted(words.items())):
            terms[i].node, terms[i].at, terms[i].keys = node, vector * KERNEL_KEYS, sum(1 << key for key in picks)
            for key, pick in picks.items():
                terms[i].pick[<int>key] = pick
        for i, (number, keys) in enumerate(sorted(numbers.items())):
            parts[i] = kernel_part(number, keys)
        block.terms, block.parts, block.n_terms, block.n_parts = terms, parts, len(words), len(numbers)
        block.n = len(lookups)
        for i, lookup in enumerate(lookups):
            block.seed[<int>i], block.owner[<int>i] = lookup.seed, filled["lookup"]
            self.lay_lookup(lookup, -1, place_of, filled)
        return 0

    cdef int lay_local(self, LocalC* v, found) except -1:
        part = found.part
        v.kind, v.node, v.argument, v.cap, v.field = part.kind, part.node, part.other, part.cap, -1
        v.factor = factor_of(found.place)
        if part.kind in NUMBERS or part.kind in SETS:
            v.field = fields_of_a_node()[part.kind]
        if part.kind == LABEL:
            v.cap = self.n_labels - 1
        if part.kind == DISTANCE and v.cap == 0:
            v.cap = COARSEST
        if part.kind in NUMBERS or part.kind == DISTANCE:
            v.product = self.products_of(v, (part, v.cap, found.place))
        return 0

    cdef const uint64_t* products_of(self, LocalC* v, name) except NULL:
        """There are few labels, valencies and distances: their products are made once."""
        part = name[0]
        cdef uint64_t* product
        cdef int32_t number
        name = (part.kind, part.cap, *name[1:])
        if name not in self.products:
            product = <uint64_t*>self.mem.alloc(v.cap + 2, sizeof(uint64_t))
            product[0] = FEATURE_NONE * v.factor
            for number in range(v.cap + 1):
                product[number + 1] = v.factor * <uint64_t>(
                    label_hash(number) if part.kind == LABEL else
                    distance_value(number, part.cap) if part.kind == DISTANCE else feature_number(number))
            self.products[name] = <size_t>product
        return <uint64_t*><size_t>self.products[name]

    cdef int lay_steps(self, plan) except -1:
        """Stack and buffer first; a second dependent is the sibling of the outermost one where that is at hand."""
        fields = fields_of_a_node()
        found = {"stack": [], "buffer": [], "": []}
        for node, (step, argument) in enumerate(plan.nodes):
            kind = STEPS[step]
            if kind in found:
                found[kind].append((node, argument, 0))
            elif kind in fields:
                found[""].append((node, argument, fields[kind]))
            elif (STEPS.index(kind[0]), argument) in plan.nodes:
                found[""].append((node, plan.nodes.index((STEPS.index(kind[0]), argument)), fields["sib"]))
            else:                       # by way of its own place
                found[""] += [(node, argument, fields[kind[0]]), (node, node, fields["sib"])]
        # what one step starts from is found before
        last = sorted(found[""], key=lambda step: depth_of(plan, step[0]))
        self.on_stack = <int32_t>len(found["stack"])
        self.in_buffer = self.on_stack + <int32_t>len(found["buffer"])
        self.n_steps = self.in_buffer + <int32_t>len(last)
        if self.n_steps > 2 * MAX_NODES:
            raise ValueError("too many nodes in a feature set")
        steps = found["stack"] + found["buffer"] + last
        for i, (node, argument, field) in enumerate(steps):
            goes_on = any(node == other for other, *_ in steps[i + 1:])
            self.steps[i] = StepC(node, argument, field, 0 if goes_on else mask_of([node]))
        self.all_nodes = mask_of(range(self.n_nodes))
        return 0

    cdef int lay_lookup(self, lookup, int32_t slot, place_of, filled) except -1:
        cdef LookupC* found = &self.lookups[filled["lookup"]]
        filled["lookup"] += 1
        found.seed, found.slot = lookup.seed, slot
        found.first_rule, found.n_rules = filled["rule"], <int32_t>len(lookup.rules)
        for rule in sorted(place_of[rule] for rule in lookup.rules):
            self.rules[filled["rule"]] = rule
            filled["rule"] += 1
        return 0


def in_blocks(lookups):
    """Lookups of the same nodes together: so a block reads few records."""
    left = sorted(lookups, key=lambda lookup: -len(lookup.terms))
    while left:
        block = [left.pop(0)]
        known = reads(block[0])
        while left and len(block) < KERNEL_KEYS:
            nearest = min(left, key=lambda lookup: len(reads(lookup) - known))
            left.remove(nearest)
            block.append(nearest)
            known |= reads(nearest)
        yield block


def reads(lookup):
    return {(term.node, term.slot if term.node == LOCAL else term.slot // KERNEL_KEYS) for term in lookup.terms}


cdef uint64_t factor_of(place) except 0:
    """Of the place of a term: those of feature keys, and more of the kind."""
    cdef uint64_t seed = place
    return feature_factor[<int>place] if place < FEATURE_FACTORS else splitmix64(&seed) | 1


def depth_of(plan, node):
    """How many steps away from the stack or the buffer."""
    step, argument = plan.nodes[node]
    if STEPS[step] in ("stack", "buffer", "pair"):
        return 0
    return 1 + (STEPS[step] in ("l2", "r2")) + depth_of(plan, argument)
