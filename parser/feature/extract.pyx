"""Running a compiled template set.

Per state: every node of the set is looked up once (about 12), every value once (about 45), then each template is a sum
of one to three products (72 to 114 templates). A missing node is word -1: its values are NONE, its relatives missing.
"""

from libc.stdint cimport int32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

import numpy as np

from parser.common cimport feat_t
from parser.feature.hashing cimport FEATURE_NONE, feature_factor, feature_key
from parser.transition.list_state cimport LinkC, ListBlock, ListC, list_bytes, list_nodes
from parser.transition.list_state cimport links as list_links
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateBlock, StateC, state_bytes
from parser.transition.state cimport nodes as state_nodes

from parser.feature.hashing import seed_of
from parser.feature.plan import make_plan

cdef enum:
    PAIR_WINDOW = 6             # p-2 .. p3


cdef class Extractor:
    def __cinit__(self):
        self.rules = NULL

    def __init__(self, templates, str pos not None, extra=()):
        """extra: sets of attributes of a word whose common value is stored too, though no template asks for it."""
        plan = make_plan(templates, pos)
        for attributes in extra:
            plan.stored_value(attributes)
        self.templates, self.plan, self.pos = templates, plan, pos
        self.for_lists = templates.family == "list"
        self.stride = <int32_t>len(plan.stored)
        self.max_features = <int32_t>len(plan.rules) + 1
        self.n_nodes = <int32_t>len(plan.nodes)
        for i, (kind, argument) in enumerate(plan.nodes):
            self.steps[i] = StepC(kind, argument)
        self.n_conditions = <int32_t>len(plan.conditions)
        for i, (node, value) in enumerate(plan.conditions):
            self.conditions[i] = StoredC(node, value)
        self.compile_rules(plan, self.place_parts(plan))

    def __dealloc__(self):
        free(self.rules)

    def place_parts(self, plan):
        """Stored values first; gives the new place of every part of the plan."""
        self.n_stored = self.n_parts = 0
        for part in plan.parts:
            if part.kind == STORED:
                self.stored[self.n_stored] = StoredC(part.node, part.other)
                self.n_stored += 1
            else:
                self.parts[self.n_parts] = PartC(part.kind, part.node, part.other, part.cap)
                self.n_parts += 1
        stored = [i for i, part in enumerate(plan.parts) if part.kind == STORED]
        others = [i for i, part in enumerate(plan.parts) if part.kind != STORED]
        return {old: new for new, old in enumerate(stored + others)}

    def compile_rules(self, plan, place):
        order = sorted(range(len(plan.rules)), key=lambda number: len(plan.rules[number].parts))
        self.n_rules = <int32_t>len(order)
        self.rules = <RuleC*>calloc(self.n_rules, sizeof(RuleC))
        if self.rules == NULL:
            raise MemoryError(f"no memory for {self.n_rules} templates")
        for i in range(4):
            self.n_short[i] = sum(len(rule.parts) <= i for rule in plan.rules)
        for i, number in enumerate(order):
            rule = plan.rules[number]
            self.rules[i].seed = seed_of(rule.template.identity)
            self.rules[i].any_of, self.rules[i].need = rule.any_of, rule.need
            self.rules[i].n_parts, self.rules[i].number = <int32_t>len(rule.parts), number
            for k, part in enumerate(rule.parts):
                self.rules[i].parts[k] = place[part]

    cdef int32_t extract(self, const StateC* s, const feat_t* words, feat_t* out) noexcept nogil:
        cdef int32_t node[MAX_NODES]
        find_nodes(self.steps, self.n_nodes, s, node)
        return self.run(node, state_nodes(s), NULL, s.root_pos, words, out)

    cdef int32_t extract_pair(self, const ListC* s, const feat_t* words, int32_t left, feat_t* out) noexcept nogil:
        cdef int32_t node[MAX_NODES]
        cdef int32_t window[PAIR_WINDOW]
        cdef int32_t i
        cdef const NodeC* all_nodes = list_nodes(s)
        cdef const LinkC* link = list_links(s)
        window[2] = left                    # the missing word's neighbours are missing
        window[1] = link[left].left
        window[0] = link[window[1]].left
        for i in range(3, PAIR_WINDOW):
            window[i] = link[window[i - 1]].right
        for i in range(self.n_nodes):
            if self.steps[i].kind == PAIR:
                node[i] = window[self.steps[i].argument]
            else:
                node[i] = relative(self.steps[i].kind, all_nodes, node[self.steps[i].argument])
        return self.run(node, all_nodes, link, 0, words, out)

    cdef int32_t run(self, const int32_t* node, const NodeC* nodes, const LinkC* links, int32_t root_pos,
                     const feat_t* words, feat_t* out) noexcept nogil:
        cdef feat_t value[MAX_PARTS]
        cdef uint64_t present = 0
        cdef int32_t i
        for i in range(self.n_nodes):
            present |= <uint64_t>(node[i] >= 0) << i
        for i in range(self.n_stored):
            value[i] = words[node[self.stored[i].node] * self.stride + self.stored[i].value]
        for i in range(self.n_parts):
            value[self.n_stored + i] = part_value(&self.parts[i], node, nodes, links, root_pos)
        for i in range(self.n_conditions):
            if words[node[self.conditions[i].node] * self.stride + self.conditions[i].value] != FEATURE_NONE:
                present |= <uint64_t>1 << (MAX_NODES + i)
        return self.apply_rules(present, value, out)

    cdef int32_t apply_rules(self, uint64_t present, const feat_t* value, feat_t* out) noexcept nogil:
        """A key that does not fire is overwritten by the next one."""
        cdef const feat_t* factor = feature_factor
        cdef const RuleC* rule
        cdef int32_t i, k, n = 1
        cdef feat_t total
        out[0] = feature_key(0)     # the bias
        for i in range(self.n_short[1]):
            rule = &self.rules[i]
            out[n] = feature_key(rule.seed + value[rule.parts[0]] * factor[0])
            n += (present & rule.any_of) != 0 and (present & rule.need) == rule.need
        for i in range(self.n_short[1], self.n_short[2]):
            rule = &self.rules[i]
            out[n] = feature_key(rule.seed + value[rule.parts[0]] * factor[0] + value[rule.parts[1]] * factor[1])
            n += (present & rule.any_of) != 0 and (present & rule.need) == rule.need
        for i in range(self.n_short[2], self.n_short[3]):
            rule = &self.rules[i]
            out[n] = feature_key(rule.seed + value[rule.parts[0]] * factor[0] + value[rule.parts[1]] * factor[1]
                                 + value[rule.parts[2]] * factor[2])
            n += (present & rule.any_of) != 0 and (present & rule.need) == rule.need
        for i in range(self.n_short[3], self.n_rules):
            rule = &self.rules[i]
            total = rule.seed
            for k in range(rule.n_parts):
                total += value[rule.parts[k]] * factor[k]
            out[n] = feature_key(total)
            n += (present & rule.any_of) != 0 and (present & rule.need) == rule.need
        return n

    # From Python: one state at a time, for tests and the interpreter

    def keys(self, bytes state, rows, left=None):
        """Keys of a state given as the bytes of its block (a cursor's raw()) and of an Atomizer's rows.

        left: for easy-first, the left word of the pair.
        """
        cdef const feat_t[:, ::1] values = rows
        if values.shape[0] < 3 or values.shape[1] != self.stride or (left is not None) != self.for_lists:
            raise ValueError("these rows, this state and these templates do not belong together")
        cdef int32_t n = <int32_t>values.shape[0] - 2
        out = np.empty(self.max_features, np.uint64)
        cdef feat_t[::1] keys = out
        cdef ListBlock list_block = ListBlock()
        cdef StateBlock block = StateBlock()
        if len(state) != (list_bytes(n) if self.for_lists else state_bytes(n)):
            raise ValueError(f"{len(state)} bytes are not a state of {n} words")
        if self.for_lists:
            list_block.reserve(1, n)
            memcpy(list_block.at(0), <const char*>state, len(state))
            return out[:self.extract_pair(list_block.at(0), &values[1, 0], left, &keys[0])]
        block.reserve(1, n)
        memcpy(block.at(0), <const char*>state, len(state))
        return out[:self.extract(block.at(0), &values[1, 0], &keys[0])]

    def __repr__(self):
        return f"<Extractor {self.templates}, p={self.pos}>"
