"""Laying out the programs of a model; see flat.pxd."""

from libc.stdint cimport int32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport splitmix64
from parser.feature.extract cimport (DISTANCE, LABEL, LEAF, LEFT_SET, LEFT_VALENCY, MAX_NODES, RIGHT_SET,
                                     RIGHT_VALENCY, Extractor, distance_value)
from parser.feature.hashing cimport FEATURE_FACTORS, FEATURE_NONE, feature_factor, feature_number
from parser.transition.node cimport NodeC, label_hash
from parser.transition.state cimport PAD

from parser.compiled.groups import CROSS
from parser.compiled.program import PRESENCE
from parser.feature.plan import STEPS

# Of parts that depend on the partial tree
KINDS = {LABEL: KERNEL_NUMBER, LEFT_VALENCY: KERNEL_NUMBER, RIGHT_VALENCY: KERNEL_NUMBER, DISTANCE: KERNEL_DISTANCE,
         LEFT_SET: KERNEL_SET, RIGHT_SET: KERNEL_SET, LEAF: KERNEL_LEAF, PRESENCE: KERNEL_PRESENCE}
COARSEST = 10       # distances from here on are one

assert sizeof(NodeC) == KERNEL_NODE_BYTES and MAX_NODES == KERNEL_NODES and PAD >= KERNEL_BEYOND


cdef dict fields_of_a_node():
    """Where the numbers stand that locals are made of, and those that lead to other nodes."""
    cdef NodeC node
    cdef char* start = <char*>&node
    return {LEFT_SET: <char*>&node.set[0] - start, RIGHT_SET: <char*>&node.set[1] - start,
            LABEL: <char*>&node.label - start, LEFT_VALENCY: <char*>&node.valency[0] - start,
            LEAF: <char*>&node.valency[0] - start, RIGHT_VALENCY: <char*>&node.valency[1] - start,
            "h": <char*>&node.head - start, "l": <char*>&node.outer[0] - start,
            "r": <char*>&node.outer[1] - start, "sib": <char*>&node.sib - start}


def mask_of(nodes):
    return sum(1 << node for node in nodes)


def gathering(chunk):
    """A factor that gives each pattern of the chunk a place of its own; see pattern_place."""
    masks = [mask_of(pattern.present) for pattern in chunk.patterns]
    cdef uint64_t seed = 1
    cdef ChunkC c
    c.bit_mask = mask_of(chunk.bits)
    for _ in range(1 << 20):
        c.gather = splitmix64(&seed)
        if len({pattern_place(&c, mask) for mask in masks}) == len(masks):
            return c.gather
    raise ValueError(f"no factor for the {len(masks)} patterns of a feature set")


cdef class Flat:
    def __init__(self, Extractor extractor not None, layout, int32_t n_labels):
        self.extractor, self.layout, self.n_labels = extractor, layout, n_labels
        self.mem = Pool()
        self.lay_out(layout, extractor)

    def lay_out(self, layout, Extractor extractor):
        chunks = layout.chunks
        programs = [program for number in range(len(chunks)) for program in layout.programs[number]]
        every = [[ref.lookup for ref in p.refs] + [*p.lookups, *p.direct] for p in programs]
        self.n_chunks = <int32_t>len(chunks)
        self.n_slots, self.n_refs = <int32_t>len(layout.slots), <int32_t>len(layout.refs)
        for i in range(len(chunks)):
            self.all_lookups += max(sum(map(len, (p.refs, p.lookups, p.direct))) for p in layout.programs[i])
            self.all_locals += max(len(p.locals) for p in layout.programs[i])
        self.chunks = <ChunkC*>self.mem.alloc(len(chunks), sizeof(ChunkC))
        self.pieces = <PieceC*>self.mem.alloc(len(programs), sizeof(PieceC))
        self.lookups = <LookupC*>self.mem.alloc(sum(map(len, every)) + 1, sizeof(LookupC))
        self.rules = <int32_t*>self.mem.alloc(sum(len(k.rules) for found in every for k in found) + 1, sizeof(int32_t))
        self.lay_slots(layout.slots)
        self.lay_products(programs)
        self.lay_steps(layout.plan)
        self.plan.always = <uint64_t>1 << 63    # above all nodes
        filled = dict.fromkeys(("piece", "lookup", "rule"), 0)
        place_of = {extractor.rules[i].number: i for i in range(extractor.n_rules)}
        for i, chunk in enumerate(chunks):
            self.lay_chunk(&self.chunks[i], chunk, layout.plan)
            for pattern, program in zip(chunk.patterns, layout.programs[i], strict=True):
                place = pattern_place(&self.chunks[i], mask_of(pattern.present))
                self.chunks[i].pieces[<int>place] = &self.pieces[<int>filled["piece"]]
                self.lay_piece(&self.pieces[<int>filled["piece"]], program, place_of, filled)
                filled["piece"] += 1

    def lay_slots(self, slots):
        self.slot_value = <int32_t*>self.mem.alloc(self.n_slots + 1, sizeof(int32_t))
        self.slot_factor = <uint64_t*>self.mem.alloc(self.n_slots + 1, sizeof(uint64_t))
        for (value, place), number in slots.items():
            self.slot_value[number], self.slot_factor[number] = value, factor_of(place)

    cdef int lay_chunk(self, ChunkC* c, chunk, plan) except -1:
        c.anchor = chunk.anchor
        c.gather = gathering(chunk)
        c.bit_mask = mask_of(chunk.bits)
        c.pieces = <const PieceC**>self.mem.alloc(1 << PLACE_BITS, sizeof(void*))
        self.plan.asked |= c.bit_mask | (<uint64_t>1 << c.anchor if c.anchor != CROSS else 0)
        return 0

    cdef int lay_piece(self, PieceC* p, program, place_of, filled) except -1:
        cdef kernel_ref* refs = <kernel_ref*>self.mem.alloc(len(program.refs) + 1, sizeof(kernel_ref))
        cdef kernel_local* locals_ = <kernel_local*>self.mem.alloc(len(program.locals) + 1, sizeof(kernel_local))
        for i, found in enumerate(program.locals):
            self.lay_local(&locals_[i], found)
        for i, ref in enumerate(program.refs):
            refs[i] = kernel_ref(ref.node, 2 * self.n_slots + ref.slot, filled["lookup"])
            self.lay_lookup(ref.lookup, ref.lookup.terms[0].slot, place_of, filled)
        p.first_sum = filled["lookup"]
        for lookup in program.lookups:
            self.lay_lookup(lookup, -1, place_of, filled)
        p.first_direct = filled["lookup"]
        for lookup in program.direct:
            self.lay_lookup(lookup, -1, place_of, filled)
        p.end = filled["lookup"]
        p.refs, p.n_refs = refs, <int32_t>len(program.refs)
        p.locals, p.n_locals = locals_, <int32_t>len(program.locals)
        return 0

    cdef int lay_local(self, kernel_local* v, found) except -1:
        part = found.part
        v.kind, v.node, v.argument = KINDS[part.kind], part.node, part.other
        v.cap, v.in_range = self.cap_of(part.kind, part.cap), part.kind == LABEL
        v.factor = factor_of(found.place)
        v.field = fields_of_a_node().get(part.kind, 0)
        v.coarse = part.kind == DISTANCE and part.cap == 0
        if v.kind in (KERNEL_NUMBER, KERNEL_DISTANCE):
            v.product = self.products + <size_t>self.product_at[part.kind, part.cap, found.place]
        return 0

    def lay_products(self, programs):
        """There are few labels, valencies and distances: their products are made once, one table behind the other."""
        names = {(found.part.kind, found.part.cap, found.place) for program in programs for found in program.locals
                 if KINDS[found.part.kind] in (KERNEL_NUMBER, KERNEL_DISTANCE)}
        cdef size_t at = 0
        self.products = <uint64_t*>self.mem.alloc(sum(self.cap_of(kind, cap) + 2 for kind, cap, _ in names) + 1,
                                                  sizeof(uint64_t))
        self.product_at = {}
        for kind, cap, place in sorted(names):
            self.product_at[kind, cap, place] = at
            at += self.lay_product(self.products + at, kind, cap, factor_of(place))

    cdef size_t lay_product(self, uint64_t* product, int32_t kind, int32_t cap, uint64_t factor) except 0:
        cdef int32_t number, n = self.cap_of(kind, cap) + 1
        product[0] = FEATURE_NONE * factor
        for number in range(n):
            product[number + 1] = factor * <uint64_t>(
                label_hash(number) if kind == LABEL else
                distance_value(number, cap) if kind == DISTANCE else feature_number(number))
        return n + 1

    cdef int32_t cap_of(self, int32_t kind, int32_t cap) noexcept:
        """The highest of the numbers that are told apart."""
        if kind == LABEL:
            return self.n_labels - 1
        return COARSEST if kind == DISTANCE and cap == 0 else cap

    def lay_steps(self, plan):
        """Stack and buffer first; a second dependent is the sibling of the outermost one where that is at hand."""
        fields = fields_of_a_node()
        found = {"stack": [], "buffer": [], "": []}
        cdef kernel_step* steps
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
        ordered = found["stack"] + found["buffer"] + last
        steps = <kernel_step*>self.mem.alloc(len(ordered) + 1, sizeof(kernel_step))
        for i, (node, start, field) in enumerate(ordered):
            steps[i] = kernel_step(node, start, field)
        self.plan.steps, self.plan.on_stack = steps, <int32_t>len(found["stack"])
        self.plan.in_buffer = self.plan.on_stack + <int32_t>len(found["buffer"])
        self.plan.n_steps, self.plan.nodes = <int32_t>len(ordered), mask_of(range(len(plan.nodes)))

    cdef int lay_lookup(self, lookup, int32_t slot, place_of, filled) except -1:
        cdef LookupC* found = &self.lookups[<int>filled["lookup"]]
        cdef TermC* terms = <TermC*>self.mem.alloc(len(lookup.terms) + 1, sizeof(TermC))
        for i, term in enumerate(lookup.terms):
            terms[i] = TermC(term.node, term.slot)
        filled["lookup"] += 1
        found.terms, found.n_terms = terms, <int32_t>len(lookup.terms)
        found.seed, found.slot = lookup.seed, slot
        found.first_rule, found.n_rules = filled["rule"], <int32_t>len(lookup.rules)
        for rule in sorted(place_of[rule] for rule in lookup.rules):
            self.rules[<int>filled["rule"]] = rule
            filled["rule"] += 1
        return 0


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
