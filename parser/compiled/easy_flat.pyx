"""Laying out the plan of easy-first; see easy_flat.pxd."""

from libc.stdint cimport int32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport splitmix64
from parser.feature.extract cimport MAX_NODES, Extractor, PartC, distance_value
from parser.feature.hashing cimport FEATURE_FACTORS, FEATURE_NONE, feature_factor
from parser.transition.node cimport NodeC

from parser.compiled.groups import DIST, base_of, nodes_of
from parser.feature.hashing import seed_of
from parser.feature.plan import STEPS

REGIONS = ("plain", "bare", "rich")     # what an element contributes to plain rules; to others without dependents; with


cdef dict fields_of_a_node():
    """Where the numbers stand that lead to other nodes."""
    cdef NodeC node
    cdef char* start = <char*>&node
    return {"h": <char*>&node.head - start, "l": <char*>&node.outer[0] - start, "r": <char*>&node.outer[1] - start,
            "sib": <char*>&node.sib - start}


cdef class EasyFlat:
    def __init__(self, Extractor extractor not None, layout):
        self.extractor, self.layout, self.products = extractor, layout, {}
        self.mem = Pool()
        if extractor.plan.stored != layout.plan.stored or extractor.plan.attributes != layout.plan.attributes:
            raise ValueError("the values of words are not those of the plan")
        self.n_shapes = <int32_t>len(layout.shapes)
        if self.n_shapes > MOST_SHAPES:
            raise ValueError(f"{self.n_shapes} sets of places in a feature set, at most {<int>MOST_SHAPES}")
        filled = dict.fromkeys(("part", "role", "list", "node", "element", "step", "condition", "key", "asked",
                                "across", "share", "term", "need"), 0)
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
        roles, n_terms = sum(map(len, layout.roles)), sum(len(key.terms) for key in keys)
        self.keys = <KeyC*>self.mem.alloc(len(keys) + 1, sizeof(KeyC))
        self.seeds = <uint64_t*>self.mem.alloc(len(keys) + 1, sizeof(uint64_t))
        self.asked = <AskedC*>self.mem.alloc(sum(len(key.roles) for key in keys) + 1, sizeof(AskedC))
        self.across = <AcrossC*>self.mem.alloc(n_terms + 1, sizeof(AcrossC))
        self.needs = <uint64_t*>self.mem.alloc(WINDOW * sum(len(key.roles) for key in keys if key.need) + 1,
                                               sizeof(uint64_t))
        self.shares = <ShareC*>self.mem.alloc(WINDOW * len(keys) + 2, sizeof(ShareC))
        self.share_of = <int32_t*>self.mem.alloc(WINDOW * len(keys) + 1, sizeof(int32_t))
        self.line_at = <int32_t*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(int32_t))
        self.terms = <TermC*>self.mem.alloc(n_terms + 1, sizeof(TermC))
        self.roles = <RoleC*>self.mem.alloc(roles + 1, sizeof(RoleC))
        self.parts = <PartC*>self.mem.alloc(sum(len(role.parts) for found in layout.roles for role in found) + 1,
                                            sizeof(PartC))
        self.role_list = <int32_t*>self.mem.alloc(sum(len(key.roles) for key in keys) + roles + 1, sizeof(int32_t))
        self.elements = <NodeOfC*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(NodeOfC))
        self.steps = <StepC*>self.mem.alloc(2 * MAX_NODES * self.n_shapes + 1, sizeof(StepC))
        self.node_list = <int32_t*>self.mem.alloc(MAX_NODES * self.n_shapes + 1, sizeof(int32_t))
        self.conditions = <ConditionC*>self.mem.alloc(MOST_BITS * self.n_shapes + 1, sizeof(ConditionC))
        self.lines = <LineC*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(LineC))

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
        for i, condition in enumerate(sorted({self.condition_of(condition) for condition in plan.conditions})):
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
        rich = [shape.moves.index(role.moved) for rule in shape.rules if rule not in shape.plain_rules
                for role in self.layout.roles[rule]]
        s.rich_line = min(rich, default=0)
        s.n_rich_lines = max(rich, default=-1) + 1 - s.rich_line
        s.first_plain = self.n_kept_lines
        s.first_rich = s.first_plain + (s.n_lines if s.has_plain else 0)
        self.n_kept_lines = s.first_rich + s.n_rich_lines
        self.lay_nodes(s, shape, filled)
        rules = [*shape.plain_rules, *(rule for rule in shape.rules if rule not in shape.plain_rules)]
        s.first_role, s.n_roles = self.lay_list([role for rule in rules for role in self.layout.roles[rule]], filled)
        s.n_plain_roles = <int32_t>sum(len(self.layout.roles[rule]) for rule in shape.plain_rules)
        for rule in rules:
            for role in self.layout.roles[rule]:
                self.roles[<int>self.number_of[role]].line = shape.moves.index(role.moved)
        self.lay_keys(&s.plain, shape, shape.plain, None, filled)
        most = 0
        for i, some in enumerate(shape.having):
            self.lay_keys(&s.rich[<int>i], shape, shape.rich[i], some, filled)
            most = max(most, rows_of(&s.rich[<int>i]))
            self.most_sums = max(self.most_sums, s.rich[<int>i].n)
        s.first_row, s.most_rows = self.n_rows, <int32_t>(rows_of(&s.plain) + most)
        self.n_rows += s.most_rows
        self.most_keys += s.most_rows + 16
        self.most_sums = max(self.most_sums, s.plain.n)
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
        k.n, k.n_kept = <int32_t>len(keys), <int32_t>sum(not key.direct for key in keys)
        k.first_key = filled["key"]
        for key in keys:
            self.seeds[filled["key"]] = key.seed
            self.keys[filled["key"]].first_role, self.keys[filled["key"]].n_roles = (
                (0, 0) if key.direct else self.lay_list(key.roles, filled))
            filled["key"] += 1
        for i, place in enumerate(shape.places):
            region = region_of(place, having)
            k.with_dependents[<int>i] = region == "rich"
            k.at[<int>i] = self.place_shares(region, [self.terms_at(key, place) for key in keys])
        self.lay_across(k, shape, keys, filled)
        self.lay_asked(k, shape, keys, filled)
        return 0

    cdef int lay_across(self, KeysC* k, shape, keys, filled) except -1:
        cdef AcrossC* a
        plan = self.layout.plan
        k.first_across = filled["across"]
        for number, key in enumerate(keys):
            for term in key.terms:
                if self.is_across(term):
                    a = &self.across[filled["across"]]
                    filled["across"] += 1
                    a.sum = number
                    for i, node in enumerate((term.part.node, term.part.other)):
                        a.place[<int>i] = shape.places.index(plan.nodes[base_of(plan, node)][1])
                        a.node[<int>i] = self.relative_of[path_of(plan, node)]
                        k.far |= a.node[<int>i] != 0
                    a.product = self.products_of(term.part.cap, term.factor)
        k.n_across = filled["across"] - k.first_across
        return 0

    def is_across(self, term):
        """A distance between two elements."""
        plan = self.layout.plan
        return term.part.kind == DIST and base_of(plan, term.part.node) != base_of(plan, term.part.other)

    cdef const uint64_t* products_of(self, cap, place) except NULL:
        cdef uint64_t factor = factor_of(place)
        cdef uint64_t* found
        cdef int32_t i
        if (cap, place) not in self.products:
            found = <uint64_t*>self.mem.alloc(DISTANCES + 1, sizeof(uint64_t))
            for i in range(DISTANCES):
                found[i] = distance_value(i, cap) * factor
            found[DISTANCES] = FEATURE_NONE * factor
            self.products[cap, place] = <size_t>found
        return <const uint64_t*><size_t>self.products[cap, place]

    cdef int lay_asked(self, KeysC* k, shape, keys, filled) except -1:
        """Those with conditions last."""
        cdef AskedC* a
        plan = self.layout.plan
        bits = {}
        for i in range(self.n_conditions):
            bits[self.element_conditions[<int>i].node, self.element_conditions[<int>i].value] = 1 << i
        k.first_direct, k.first_need = filled["asked"], filled["need"]
        for number, key in enumerate(keys):
            if key.direct and not key.need:
                k.n_direct += <int32_t>len(key.roles)
            for role in key.roles if key.direct else ():
                a = &self.asked[filled["asked"]]
                filled["asked"] += 1
                a.sum, a.role = number, self.number_of[role]
                a.seed = self.roles[a.role].seed
                for i, (node, value) in enumerate(plan.conditions):
                    if key.need >> i & 1:
                        place = shape.places.index(plan.nodes[base_of(plan, node)][1])
                        self.needs[filled["need"] + <int>place] |= <uint64_t>bits[self.condition_of((node, value))]
                filled["need"] += WINDOW if key.need else 0
        k.n_asked = filled["asked"] - k.first_direct - k.n_direct
        return 0

    def terms_at(self, key, place):
        """What an element at that place contributes to a key."""
        plan = self.layout.plan
        return tuple(self.own_term(term) for term in key.terms
                     if not self.is_across(term) and plan.nodes[base_of(plan, term.part.node)][1] == place)

    def place_shares(self, region, wanted):
        """Where in a region these come one after the other; put there unless they do so already."""
        found = self.regions[region]
        for at in range(len(found) - len(wanted) + 1):
            if found[at:at + len(wanted)] == wanted:
                return at
        found += wanted
        return len(found) - len(wanted)

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
        """By place, so that the lines of one element come together."""
        found = []
        for number, shape in enumerate(shapes):
            for line, by in enumerate(shape.moves):
                found.append((shape.first + by, number, line))
                at = shape.first + by
                for first in range(at + 1):
                    for last in range(at, WINDOW):
                        self.needed[<int>first][<int>last] |= 1 << number
        for i, (place, number, line) in enumerate(sorted(found)):
            self.lines[<int>i] = LineC(place, line, self.shapes[<int>number].first_row, number)
            self.line_at[<int>i] = self.place_of_line(&self.shapes[<int>number], line)
            self.lines_at[<int>place] += 1

    cdef int32_t place_of_line(self, const ShapeC* s, int32_t line) noexcept:
        """Where an element has what a pair adds up."""
        if line >= s.rich_line and line < s.rich_line + s.n_rich_lines:
            return s.first_rich + line - s.rich_line
        return s.first_plain + line

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


cdef int32_t rows_of(const KeysC* k) noexcept:
    return k.n_kept + k.n_direct + k.n_asked


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
