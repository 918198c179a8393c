"""Laying out the plan of easy-first; see easy_flat.pxd."""

from libc.stdint cimport int32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport splitmix64
from parser.compiled.easy_memory cimport (EASY_EIGHT, EASY_PRESENT, EASY_ROLE, EASY_SHARES, easy_asks, easy_line,
                                          easy_no_asks, easy_nth)
from parser.compiled.memory cimport LINE
from parser.feature.extract cimport MAX_NODES, Extractor, PartC, distance_value
from parser.feature.hashing cimport FEATURE_FACTORS, FEATURE_NONE, feature_factor
from parser.transition.node cimport NodeC

from parser.compiled.groups import DIST, base_of, nodes_of
from parser.feature.hashing import seed_of
from parser.feature.plan import STEPS

cdef enum:
    MOST_OWNERS = 0x7FFF        # see easy_kernel.h

REGIONS = ("plain", "bare", "rich")     # what an element contributes to plain rules; to others without dependents; with


cdef dict fields_of_a_node():
    """Where the numbers stand that lead to other nodes."""
    cdef NodeC node
    cdef char* start = <char*>&node
    return {"h": <char*>&node.head - start, "l": <char*>&node.outer[0] - start, "r": <char*>&node.outer[1] - start,
            "sib": <char*>&node.sib - start}


cdef class EasyFlat:
    def __init__(self, Extractor extractor not None, layout):
        self.extractor, self.layout = extractor, layout
        self.mem = Pool()
        if extractor.plan.stored != layout.plan.stored or extractor.plan.attributes != layout.plan.attributes:
            raise ValueError("the values of words are not those of the plan")
        self.n_shapes = <int32_t>len(layout.shapes)
        if self.n_shapes > MOST_SHAPES:
            raise ValueError(f"{self.n_shapes} sets of places in a feature set, at most {<int>MOST_SHAPES}")
        filled = dict.fromkeys(("part", "role", "list", "node", "element", "step", "condition", "key", "asks",
                                "across", "share", "term", "need", "seed"), 0)
        self.regions = {region: [] for region in REGIONS}
        self.reserve(layout)
        self.lay_relatives(layout.plan)
        self.lay_roles(layout.roles, filled)
        for number, shape in enumerate(layout.shapes):
            self.lay_shape(&self.shapes[number], shape, filled)
        self.lay_regions(filled)
        self.lay_lines(layout.shapes)
        self.lay_changes(layout.shapes)

    def reserve(self, layout):
        """Room for everything."""
        keys = [key for shape in layout.shapes for sums in (shape.plain, *shape.rich) for key in sums]
        if max(len(keys), sum(map(len, layout.roles))) > MOST_OWNERS:
            raise ValueError(f"{len(keys)} sums in a feature set, at most {<int>MOST_OWNERS}")
        roles, n_terms = sum(map(len, layout.roles)), sum(len(key.terms) for key in keys)
        self.keys = <KeyC*>self.mem.alloc(len(keys) + 1, sizeof(KeyC))
        self.seeds = <uint64_t*>self.lines_of(EASY_EIGHT * len(keys) + EASY_EIGHT, sizeof(uint64_t))
        self.asks = <easy_asks*>self.lines_of(sum(len(key.roles) for key in keys) + 1, sizeof(easy_asks))
        self.across = <AcrossC*>self.mem.alloc(n_terms + 1, sizeof(AcrossC))
        self.needs = <uint64_t*>self.mem.alloc(WINDOW * sum(len(key.roles) for key in keys if key.need) + 1,
                                               sizeof(uint64_t))
        self.shares = <ShareC*>self.mem.alloc(WINDOW * len(keys) + 4, sizeof(ShareC))
        n_sums = sum(1 + len(shape.rich) for shape in layout.shapes)
        self.share_of = <int32_t*>self.mem.alloc(WINDOW * (len(keys) + EASY_EIGHT * n_sums), sizeof(int32_t))
        self.terms = <TermC*>self.mem.alloc(n_terms + 1, sizeof(TermC))
        self.roles = <RoleC*>self.mem.alloc(roles + 1, sizeof(RoleC))
        self.parts = <PartC*>self.mem.alloc(sum(len(role.parts) for found in layout.roles for role in found) + 1,
                                            sizeof(PartC))
        self.role_list = <int32_t*>self.mem.alloc(sum(len(key.roles) for key in keys) + roles + 1, sizeof(int32_t))
        self.elements = <NodeOfC*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(NodeOfC))
        self.steps = <StepC*>self.mem.alloc(2 * MAX_NODES * self.n_shapes + 1, sizeof(StepC))
        self.node_list = <int32_t*>self.mem.alloc(MAX_NODES * self.n_shapes + 1, sizeof(int32_t))
        self.conditions = <ConditionC*>self.mem.alloc(MOST_BITS * self.n_shapes + 1, sizeof(ConditionC))
        self.lines = <easy_line*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(easy_line))

    cdef void* lines_of(self, size_t n, size_t size) except NULL:
        """Room that begins with a cache line, as all that vectors read at once does."""
        cdef size_t start = <size_t>self.mem.alloc(n * size + LINE, 1)
        return <void*>((start + LINE - 1) // LINE * LINE)

    def lay_relatives(self, plan):
        """All paths from an element to nodes that are looked at, the shorter ones first."""
        cdef int32_t i
        paths = {path[:n] for path in map(lambda node: path_of(plan, node), range(len(plan.nodes)))
                 for n in range(len(path) + 1)}
        order = sorted(paths, key=lambda path: (sum(1 + (step in ("l2", "r2")) for step in path), path))
        self.relative_of = {path: number for number, path in enumerate(order)}
        self.n_relatives = <int32_t>len(order)
        if self.n_relatives > MAX_NODES:
            raise ValueError(f"{self.n_relatives} relatives of elements in a feature set, at most {<int>MAX_NODES}")
        steps = []
        for path in order[1:]:
            *start, last = path
            near = self.relative_of.get((*start, last[0]))
            steps += steps_to(self.relative_of[path], last, self.relative_of[tuple(start)], near)
        self.n_relative_steps = <int32_t>len(steps)
        for i, (node, start, field) in enumerate(steps):
            self.relative_steps[i] = StepC(node, start, field)
        self.n_conditions = <int32_t>len({self.condition_of(condition) for condition in plan.conditions})
        self.condition_bits = {}
        for i, condition in enumerate(sorted({self.condition_of(condition) for condition in plan.conditions})):
            self.condition_bits[condition] = i
            self.element_conditions[i] = ConditionC(<uint64_t>1 << i, condition[0], condition[1])

    def condition_of(self, condition):
        """The same of any element: a relative and a stored value."""
        node, value = condition
        return self.relative_of[path_of(self.layout.plan, node)], value

    cdef int lay_roles(self, roles, filled) except -1:
        """One after the other, by rule; role.line is set where their shape is known."""
        cdef RoleC* r
        self.number_of = {}
        for number, found in enumerate(roles):
            rule = self.layout.plan.rules[number]
            for role in found:
                self.number_of[role] = filled["role"]
                r = &self.roles[filled["role"]]
                filled["role"] += 1
                template = self.extractor.plan.rules[role.rule].template
                r.seed, r.any_of, r.need = seed_of(template.identity), rule.any_of, rule.need
                r.first_part, r.n_parts = filled["part"], <int32_t>len(role.parts)
                for part in role.parts:
                    self.parts[filled["part"]] = PartC(part.kind, part.node, part.other, part.cap)
                    filled["part"] += 1
        return 0

    def lay_list(self, roles, filled):
        """Puts roles into the list; where they begin, and how many."""
        first = filled["list"]
        for role in roles:
            self.role_list[filled["list"]] = self.number_of[role]
            filled["list"] += 1
        return first, len(roles)

    cdef int lay_shape(self, ShapeC* s, shape, filled) except -1:
        s.n_places = <int32_t>len(shape.places)
        for i, place in enumerate(shape.places):
            s.places[<int>i] = place - shape.first
        s.n_lines, s.single = <int32_t>len(shape.moves), -1
        self.n_lines += s.n_lines
        s.has_plain, s.has_rich = bool(shape.plain_rules), len(shape.plain_rules) < len(shape.rules)
        if s.n_places == 1:
            s.single = self.n_refs
            self.n_refs += <int32_t>len(shape.rich[0])
        self.lay_nodes(s, shape, filled)
        rules = [*shape.plain_rules, *(rule for rule in shape.rules if rule not in shape.plain_rules)]
        s.first_role, s.n_roles = self.lay_list([role for rule in rules for role in self.layout.roles[rule]], filled)
        s.n_plain_roles = <int32_t>sum(len(self.layout.roles[rule]) for rule in shape.plain_rules)
        for rule in rules:
            for role in self.layout.roles[rule]:
                self.roles[<int>self.number_of[role]].line = shape.moves.index(role.moved)
        self.lay_keys(&s.plain, shape, shape.plain, None, filled)
        most, shares = 0, 0
        for i, some in enumerate(shape.having):
            self.lay_keys(&s.rich[<int>i], shape, shape.rich[i], some, filled)
            most = max(most, s.rich[<int>i].most_rows)
            shares = max(shares, s.n_places + s.rich[<int>i].n_across, <int>EASY_SHARES)
            self.most_sums = max(self.most_sums, s.rich[<int>i].sums.n)
        s.first_row, s.most_rows = self.n_rows, <int32_t>(s.plain.most_rows + most)
        # behind the last are eight that are none; whole cache lines
        self.n_rows += (s.most_rows + 2 * EASY_EIGHT - 1) // EASY_EIGHT * EASY_EIGHT
        self.most_keys += s.most_rows + 16
        self.most_shares += <int32_t>(shares + s.n_places + s.plain.n_across + EASY_SHARES)
        self.most_sums = max(self.most_sums, s.plain.sums.n)
        return 0

    cdef int lay_nodes(self, ShapeC* s, shape, filled) except -1:
        """Elements first, in the order of the list."""
        plan = self.layout.plan
        wanted = set()
        for rule in shape.rules:
            for node in nodes_of(plan, rule):
                wanted.add(node)
                while base_of(plan, node) != node:
                    node = plan.nodes[node][1]
                    wanted.add(node)
        s.first_node, s.n_nodes = filled["node"], <int32_t>len(wanted)
        s.first_element, s.first_step, s.first_condition = filled["element"], filled["step"], filled["condition"]
        depths = {node: sum(1 + (step in ("l2", "r2")) for step in path_of(plan, node)) for node in wanted}
        for node in sorted(wanted, key=lambda node: (depths[node], plan.nodes[node][1], node)):
            self.node_list[filled["node"]] = node
            filled["node"] += 1
            step, argument = plan.nodes[node]
            kind = STEPS[step]
            if kind == "pair":
                self.elements[filled["element"]] = NodeOfC(node, argument - shape.first)
                filled["element"] += 1
                continue
            near = (STEPS.index(kind[0]), argument)
            at_hand = near in plan.nodes and plan.nodes.index(near) in wanted
            for one, start, field in steps_to(node, kind, argument, plan.nodes.index(near) if at_hand else None):
                self.steps[filled["step"]] = StepC(one, start, field)
                filled["step"] += 1
        needed = 0
        for rule in shape.rules:
            needed |= plan.rules[rule].need
        for i, (node, value) in enumerate(plan.conditions):
            if needed >> (MAX_NODES + i) & 1:
                self.conditions[filled["condition"]] = ConditionC(<uint64_t>1 << (MAX_NODES + <int>i), node, value)
                filled["condition"] += 1
        s.n_elements, s.n_steps = filled["element"] - s.first_element, filled["step"] - s.first_step
        s.n_conditions = filled["condition"] - s.first_condition
        return 0

    cdef int lay_keys(self, KeysC* k, shape, keys, having, filled) except -1:
        """having: places of elements with dependents; None: plain rules."""
        k.sums.n, k.sums.n_kept = <int32_t>len(keys), <int32_t>sum(not key.direct for key in keys)
        k.sums.first_key, k.sums.seed = filled["key"], &self.seeds[<int>filled["seed"]]
        k.most_rows = <int32_t>(k.sums.n_kept + sum(len(key.roles) for key in keys if key.direct))
        for key in keys:
            self.seeds[filled["seed"]] = key.seed
            filled["seed"] += 1
            self.keys[filled["key"]].first_role, self.keys[filled["key"]].n_roles = (
                (0, 0) if key.direct else self.lay_list(key.roles, filled))
            filled["key"] += 1
        filled["seed"] = (filled["seed"] + EASY_EIGHT - 1) // EASY_EIGHT * EASY_EIGHT
        for i, place in enumerate(shape.places):
            region = region_of(place, having)
            k.with_dependents[<int>i] = region == "rich"
            k.at[<int>i] = self.place_shares(region, [self.terms_at(key, place) for key in keys])
        self.lay_across(k, shape, keys, filled)
        self.lay_asked(k, shape, keys, filled)
        return 0

    cdef int lay_across(self, KeysC* k, shape, keys, filled) except -1:
        """Products of all distances, for all sums that look at the same two nodes."""
        cdef AcrossC* a
        cdef uint64_t* product
        cdef int32_t i, n = (k.sums.n + EASY_EIGHT - 1) // EASY_EIGHT * EASY_EIGHT
        plan, by_ends = self.layout.plan, {}
        for number, key in enumerate(keys):
            for term in key.terms:
                if self.is_across(term):
                    by_ends.setdefault((term.part.node, term.part.other), []).append((number, term))
        k.first_across, k.n_across = filled["across"], <int32_t>len(by_ends)
        for ends, terms in by_ends.items():
            a = &self.across[filled["across"]]
            filled["across"] += 1
            for i, node in enumerate(ends):
                a.place[i] = shape.places.index(plan.nodes[base_of(plan, node)][1])
                a.node[i] = self.relative_of[path_of(plan, node)]
            a.product = product = <uint64_t*>self.lines_of((DISTANCES + 1) * n, sizeof(uint64_t))
            for number, term in terms:
                for i in range(DISTANCES):
                    product[i * n + <int>number] += distance_value(i, term.part.cap) * factor_of(term.factor)
                product[DISTANCES * n + <int>number] += FEATURE_NONE * factor_of(term.factor)
        return 0

    def is_across(self, term):
        """A distance between two elements."""
        plan = self.layout.plan
        return term.part.kind == DIST and base_of(plan, term.part.node) != base_of(plan, term.part.other)

    cdef int lay_asked(self, KeysC* k, shape, keys, filled) except -1:
        """Single roles by eights that have the same conditions, those without first."""
        cdef int32_t i
        by_need = {0: []}
        for number, key in enumerate(keys):
            if key.direct:
                by_need.setdefault(key.need, []).extend((number, role) for role in key.roles)
        k.sums.asks = &self.asks[<int>filled["asks"]]
        for need, roles in by_need.items():
            for first in range(0, len(roles), EASY_EIGHT):
                if k.sums.n_asks == MOST_EIGHTS:
                    raise ValueError("too many templates of words and something else in a feature set")
                self.lay_eight(&self.asks[<int>filled["asks"]], shape, need, roles[first:first + EASY_EIGHT], filled)
                filled["asks"] += 1
                if need:
                    k.sometimes |= <uint64_t>1 << k.sums.n_asks
                else:
                    k.always |= <uint64_t>1 << k.sums.n_asks
                k.sums.n_asks += 1
        for i in range(2):
            k.ask[i] = &k.sums.asks[i] if k.always >> i & 1 else &easy_no_asks
        k.more = k.always & ~<uint64_t>3
        return 0

    cdef int lay_eight(self, easy_asks* asks, shape, need, roles, filled) except -1:
        plan, asks.n, asks.need = self.layout.plan, <int32_t>len(roles), -1
        for i, (number, role) in enumerate(roles):
            asks.sum[<int>i], asks.owner[<int>i] = number, <int>self.number_of[role] | EASY_ROLE
            asks.seed[<int>i] = self.roles[<int>self.number_of[role]].seed
        if need:
            asks.need = filled["need"]
            filled["need"] += WINDOW
            for i, condition in enumerate(plan.conditions):
                if need >> i & 1:
                    place = shape.places.index(plan.nodes[base_of(plan, condition[0])][1])
                    bit = self.condition_bits[self.condition_of(condition)]
                    self.needs[asks.need + <int>place] |= <uint64_t>1 << <int>bit
        return 0

    def terms_at(self, key, place):
        """What an element at that place contributes to a key."""
        plan = self.layout.plan
        return tuple(self.own_term(term) for term in key.terms
                     if not self.is_across(term) and plan.nodes[base_of(plan, term.part.node)][1] == place)

    def place_shares(self, region, wanted):
        """Where in a region, by whole cache lines, these follow one another; put there unless they do so already."""
        found = self.regions[region]
        for at in range(0, len(found) - len(wanted) + 1, EASY_EIGHT):
            if found[at:at + len(wanted)] == wanted:
                return at
        at = len(found)
        found += wanted + [()] * ((EASY_EIGHT - len(wanted) % EASY_EIGHT) % EASY_EIGHT)
        return at

    def lay_regions(self, filled):
        """Different contributions are made once."""
        self.n_plain, self.n_bare, self.n_rich = [<int32_t>len(self.regions[region]) for region in REGIONS]
        for i in range(self.n_shapes):          # a record has the plain ones before those without dependents
            for place in range(self.shapes[<int>i].n_places):
                for some in range(4):
                    if not self.shapes[<int>i].rich[<int>some].with_dependents[<int>place]:
                        self.shapes[<int>i].rich[<int>some].at[<int>place] += self.n_plain
        self.n_contributions = self.n_plain + self.n_bare + self.n_rich + 1     # and the conditions that hold
        number = 0
        for region in REGIONS:
            known = {} if region != "bare" else known
            for terms in self.regions[region]:
                if terms not in known:
                    known[terms] = len(known)
                    self.lay_share(&self.shares[filled["share"]], terms, filled)
                    filled["share"] += 1
                self.share_of[<int>number] = known[terms]
                number += 1
            self.n_shares[<int>(region == "rich")] = <int32_t>len(known)

    def own_term(self, term):
        """The same for all elements: (kind, relative, other, cap, factor)."""
        plan, part = self.layout.plan, term.part
        other = self.relative_of[path_of(plan, part.other)] if part.kind == DIST else part.other
        return part.kind, self.relative_of[path_of(plan, part.node)], other, part.cap, term.factor

    cdef int lay_share(self, ShareC* share, terms, filled) except -1:
        share.first_term, share.n_terms = filled["term"], <int32_t>len(terms)
        for kind, node, other, cap, factor in terms:
            self.terms[filled["term"]] = TermC(PartC(kind, node, other, cap),
                                               self.n_contributions + self.n_refs + <int>other, factor_of(factor))
            filled["term"] += 1
        return 0

    def lay_lines(self, shapes):
        """By place, so that the rows of one element come together."""
        found = []
        for number, shape in enumerate(shapes):
            for line, by in enumerate(shape.moves):
                found.append((shape.first + by, number, line))
                at = shape.first + by
                for first in range(at + 1):
                    for last in range(at, WINDOW):
                        self.needed[<int>first][<int>last] |= 1 << number
        for i, (place, number, line) in enumerate(sorted(found)):
            present, shift = <uint64_t>1 << (EASY_PRESENT + <int>line), easy_nth(line) - 6
            self.lines[<int>i] = easy_line(place, line, self.shapes[<int>number].first_row, number, present, [shift, 0])
            self.n_sources += self.shapes[<int>number].most_rows

    def lay_changes(self, shapes):
        """Element k of the new list is the head. What begins j places before it looks at it if it has an element
        there, and at new neighbours if it looks past the place where the dependent was: behind the head, or before."""
        for number, shape in enumerate(shapes):
            places = [place - shape.first for place in shape.places]
            reach = max(places)
            for j in range(reach + 1):
                if j > 0:                           # the dependent was left of the head
                    self.new_plain[0][<int>j] |= 1 << number
                if reach > j:                       # or right of it
                    self.new_plain[1][<int>j] |= 1 << number
                for side in range(2):
                    if self.shapes[<int>number].has_rich and (
                            self.new_plain[<int>side][<int>j] >> <int>number & 1 or j in places):
                        self.new_rich[<int>side][<int>j] |= 1 << number


cdef uint64_t factor_of(place) except 0:
    """Of the place of a term: those of feature keys, and more of the kind."""
    cdef uint64_t seed = place
    return feature_factor[<int>place] if place < FEATURE_FACTORS else splitmix64(&seed) | 1


def region_of(place, having):
    return "plain" if having is None else "rich" if place in having else "bare"


def path_of(plan, node):
    """The steps from an element to a node."""
    step, argument = plan.nodes[node]
    return () if STEPS[step] == "pair" else (*path_of(plan, argument), STEPS[step])


def steps_to(node, kind, start, near):
    """(node, from where, field); a second dependent is the sibling of the outermost one, `near` if that is at hand."""
    fields = fields_of_a_node()
    if kind in fields:
        return [(node, start, fields[kind])]
    if near is not None:
        return [(node, near, fields["sib"])]
    return [(node, start, fields[kind[0]]), (node, node, fields["sib"])]
