"""Laying out the plan of easy-first; see easy_flat.pxd."""

from libc.stdint cimport int32_t, uint64_t

from cymem.cymem cimport Pool

from parser.common cimport splitmix64
from parser.feature.extract cimport MAX_NODES, Extractor, PartC
from parser.feature.hashing cimport FEATURE_FACTORS, feature_factor
from parser.transition.node cimport NodeC

from parser.compiled.groups import base_of, nodes_of
from parser.compiled.program import LOCAL
from parser.feature.hashing import seed_of
from parser.feature.plan import STEPS


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
        self.n_nodes, self.n_shapes = <int32_t>len(layout.plan.nodes), <int32_t>len(layout.shapes)
        self.n_slots, self.n_refs = <int32_t>len(layout.slots), <int32_t>len(layout.refs)
        self.reserve(layout)
        for (value, place), number in layout.slots.items():
            self.slot_value[number], self.slot_factor[number] = value, factor_of(place)
        filled = dict.fromkeys(("part", "role", "list", "node", "element", "step", "condition", "line", "program",
                                "lookup", "direct", "ref", "local"), 0)
        self.lay_roles(layout.roles, filled)
        for number in range(len(layout.chunks)):
            self.lay_chunk(&self.chunks[number], number, filled)
        for number, shape in enumerate(layout.shapes):
            self.lay_shape(&self.shapes[number], shape, filled)
        self.lay_lines(layout.shapes)
        self.lay_changes(layout.shapes)

    def reserve(self, layout):
        """Room for everything."""
        programs = [program for found in layout.programs.values() for program in found]
        every = [ref.lookup for p in programs for ref in p.refs] + [k for p in programs for k in p.lookups]
        directs = [direct for p in programs for direct in p.direct]
        n_rules, n_roles = len(layout.plan.rules), sum(map(len, layout.roles))
        listed = sum(len(layout.roles[rule]) for found in every for rule in found.rules)
        listed += sum(len(direct.roles) for direct in directs) + 2 * n_roles
        self.chunks = <ChunkC*>self.mem.alloc(len(layout.chunks) + 1, sizeof(ChunkC))
        self.programs = <ProgramC*>self.mem.alloc(len(programs) + 1, sizeof(ProgramC))
        self.lookups = <LookupC*>self.mem.alloc(len(every) + 1, sizeof(LookupC))
        self.directs = <DirectC*>self.mem.alloc(len(directs) + 1, sizeof(DirectC))
        self.refs = <RefC*>self.mem.alloc(sum(len(p.refs) for p in programs) + 1, sizeof(RefC))
        self.locals = <LocalC*>self.mem.alloc(sum(len(p.locals) for p in programs) + 1, sizeof(LocalC))
        self.roles = <RoleC*>self.mem.alloc(n_roles + 1, sizeof(RoleC))
        self.parts = <PartC*>self.mem.alloc(sum(len(role.parts) for found in layout.roles for role in found) + 1,
                                            sizeof(PartC))
        self.role_list = <int32_t*>self.mem.alloc(listed + 1, sizeof(int32_t))
        self.elements = <ElementC*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(ElementC))
        self.steps = <StepC*>self.mem.alloc(2 * MAX_NODES * self.n_shapes + 1, sizeof(StepC))
        self.node_list = <int32_t*>self.mem.alloc(MAX_NODES * self.n_shapes + 1, sizeof(int32_t))
        self.conditions = <ConditionC*>self.mem.alloc(20 * self.n_shapes + 1, sizeof(ConditionC))
        self.lines = <LineC*>self.mem.alloc(WINDOW * self.n_shapes + 1, sizeof(LineC))
        self.slot_value = <int32_t*>self.mem.alloc(self.n_slots + 1, sizeof(int32_t))
        self.slot_factor = <uint64_t*>self.mem.alloc(self.n_slots + 1, sizeof(uint64_t))
        if n_rules == 0 or self.n_shapes > MOST_SHAPES:
            raise ValueError(f"{self.n_shapes} sets of places in a feature set, at most {<int>MOST_SHAPES}")

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

    def roles_from(self, rules):
        """Numbers of the roles of some rules."""
        return [self.number_of[role] for rule in rules for role in self.layout.roles[rule]]

    def lay_list(self, roles, filled):
        """Puts roles into the list; where they begin, and how many."""
        first = filled["list"]
        for role in roles:
            self.role_list[filled["list"]] = role
            filled["list"] += 1
        return first, len(roles)

    cdef int lay_shape(self, ShapeC* s, shape, filled) except -1:
        cdef int32_t chunk
        s.plain, s.rich = shape.plain, shape.rich
        s.first_line, s.n_lines = self.n_lines, <int32_t>len(shape.moves)
        self.n_lines += s.n_lines
        s.first_plain = -1
        if s.plain >= 0 and (s.rich >= 0 or shape.conditional):
            s.first_plain = self.n_plain_lines
            self.n_plain_lines += s.n_lines
        self.lay_nodes(s, shape, filled)
        s.first_role, s.n_roles = self.lay_list(self.roles_from(shape.rules), filled)
        s.first_asked, s.n_asked = self.lay_list(self.roles_from(shape.conditional), filled)
        for rule in shape.rules:
            for role in self.layout.roles[rule]:
                self.roles[<int>self.number_of[role]].line = shape.moves.index(role.moved)
        s.first_row, s.most_rows = self.n_rows, s.n_asked
        for chunk in (s.plain, s.rich):
            if chunk >= 0:
                s.most_rows += max(len(p.refs) + len(p.lookups) + sum(len(d.roles) for d in p.direct)
                                   for p in self.layout.programs[chunk])
        self.n_rows += s.most_rows
        self.most_keys += s.most_rows
        return 0

    cdef int lay_nodes(self, ShapeC* s, shape, filled) except -1:
        """Elements first, in the order of the list. A second dependent is the sibling of the outermost one, where that
        is at hand."""
        plan, fields = self.layout.plan, fields_of_a_node()
        wanted = set()
        for rule in shape.rules:
            for node in nodes_of(plan, rule):
                wanted.add(node)
                while base_of(plan, node) != node:
                    node = plan.nodes[node][1]
                    wanted.add(node)
        s.first_node, s.n_nodes = filled["node"], <int32_t>len(wanted)
        s.first_element, s.first_step, s.first_condition = filled["element"], filled["step"], filled["condition"]
        depths = {node: depth_of(plan, node) for node in wanted}
        for node in sorted(wanted, key=lambda node: (depths[node], plan.nodes[node][1], node)):
            self.node_list[filled["node"]] = node
            filled["node"] += 1
            step, argument = plan.nodes[node]
            kind = STEPS[step]
            if kind == "pair":
                self.elements[filled["element"]] = ElementC(node, argument - shape.first)
                filled["element"] += 1
                continue
            found = [(node, argument, kind)]
            if kind not in fields:
                near = (STEPS.index(kind[0]), argument)
                at_hand = near in plan.nodes and plan.nodes.index(near) in wanted
                found = ([(node, plan.nodes.index(near), "sib")] if at_hand
                         else [(node, argument, kind[0]), (node, node, "sib")])
            for one, start, field in found:
                self.steps[filled["step"]] = StepC(one, start, fields[field])
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

    cdef int lay_chunk(self, ChunkC* c, number, filled) except -1:
        chunk = self.layout.chunks[number]
        c.n_bits = <int32_t>len(chunk.bits)
        for i, node in enumerate(chunk.bits):
            c.bits[<int>i] = node
        for i in range(1 << c.n_bits):
            c.program[<int>i] = -1          # nodes that are never there together
        for pattern, program in zip(chunk.patterns, self.layout.programs[number], strict=True):
            place = sum(1 << i for i, node in enumerate(chunk.bits) if node in pattern.present)
            c.program[<int>place] = filled["program"]
            self.lay_program(&self.programs[filled["program"]], program, filled)
            filled["program"] += 1
        return 0

    cdef int lay_program(self, ProgramC* p, program, filled) except -1:
        cdef LookupC* found
        cdef DirectC* direct
        if len(program.locals) >= MOST_LOCALS:
            raise ValueError(f"the keys of a feature set depend on more than {<int>MOST_LOCALS} values of the tree")
        p.first_local, p.n_locals = filled["local"], <int32_t>len(program.locals)
        for local in program.locals:
            part = local.part
            self.locals[filled["local"]] = LocalC(PartC(part.kind, part.node, part.other, part.cap),
                                                  factor_of(local.place))
            filled["local"] += 1
        p.first_lookup = filled["lookup"]
        p.two, p.four, p.all = [filled["lookup"] + sum(len(k.terms) <= most for k in program.lookups)
                                for most in (2, 4, MOST_TERMS)]
        p.first_ref, p.n_refs = filled["ref"], <int32_t>len(program.refs)
        for i, lookup in enumerate([*program.lookups, *(ref.lookup for ref in program.refs)]):
            found = &self.lookups[filled["lookup"]]
            found.seed = lookup.seed
            self.lay_terms(found.term, MOST_TERMS, lookup.terms)
            found.first_role, found.n_roles = self.lay_list(self.roles_from(lookup.rules), filled)
            if i >= len(program.lookups):
                ref = program.refs[i - len(program.lookups)]
                self.refs[filled["ref"]] = RefC(ref.node, ref.slot, filled["lookup"])
                filled["ref"] += 1
            filled["lookup"] += 1
        p.first_direct, p.n_directs = filled["direct"], <int32_t>len(program.direct)
        for one in program.direct:
            direct = &self.directs[filled["direct"]]
            self.lay_terms(direct.term, MOST_DIRECT_TERMS, one.terms)
            direct.first_role, direct.n_roles = self.lay_list([self.number_of[role] for role in one.roles], filled)
            filled["direct"] += 1
        return 0

    cdef int lay_terms(self, TermC* out, int32_t room, terms) except -1:
        cdef int32_t i
        for i in range(room):
            out[i] = TermC(self.n_nodes, 0)
        for i, term in enumerate(terms):
            out[i] = TermC(self.n_nodes, term.slot + 1) if term.node == LOCAL else TermC(term.node, term.slot)
        return 0

    def lay_lines(self, shapes):
        """By place, so that the lines of one element come together."""
        found = []
        for number, shape in enumerate(shapes):
            for line, by in enumerate(shape.moves):
                found.append((shape.first + by, self.shapes[<int>number].first_line + line, number))
                self.needed[<int>(shape.first + by)] |= 1 << number
        for i, (place, line, number) in enumerate(sorted(found)):
            self.lines[<int>i] = LineC(place, line, number)

    def lay_changes(self, shapes):
        """Element k of the new list is the head. What begins j places before it looks at it if it has an element
        there, and at new neighbours if it looks past the place where the dependent was: behind the head, or before."""
        for number, shape in enumerate(shapes):
            places = [place - shape.first for place in shape.places]
            has_more = shape.rich >= 0 or shape.conditional
            reach = max(places)
            for j in range(reach + 1):
                if j > 0:                           # the dependent was left of the head
                    self.new_plain[0][<int>j] |= 1 << number
                if reach > j:                       # or right of it
                    self.new_plain[1][<int>j] |= 1 << number
                for side in range(2):
                    if has_more and (self.new_plain[<int>side][<int>j] >> <int>number & 1 or j in places):
                        self.new_rich[<int>side][<int>j] |= 1 << number


cdef uint64_t factor_of(place) except 0:
    """Of the place of a term: those of feature keys, and more of the kind."""
    cdef uint64_t seed = place
    return feature_factor[<int>place] if place < FEATURE_FACTORS else splitmix64(&seed) | 1


def depth_of(plan, node):
    """How many steps away from the list."""
    step, argument = plan.nodes[node]
    if STEPS[step] == "pair":
        return 0
    return 1 + (STEPS[step] in ("l2", "r2")) + depth_of(plan, argument)
