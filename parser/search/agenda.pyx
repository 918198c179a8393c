"""Easy-first's candidates; see agenda.pxd."""

from libc.math cimport INFINITY, exp, log
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memset

from parser.common cimport feat_t
from parser.feature.extract cimport Extractor
from parser.score.choose cimport argmax, softmax
from parser.transition.easy_first cimport EasyFirst
from parser.transition.gold cimport GoldC
from parser.transition.list_state cimport LinkC, ListC, links, list_nodes

cdef enum:
    STALE_FEATURES = 1
    STALE_SCORES = 2
    REACH = 3               # a pair sees three places to the right of its left word (p3), and two to the left


cdef class Agenda:
    def __cinit__(self):
        self.memory = NULL
        self.mask = NULL
        self.chances = NULL
        self.bytes = 0

    def __dealloc__(self):
        free(self.memory)
        free(self.mask)
        free(self.chances)

    cdef int prepare(self, EasyFirst system, Extractor extractor, int32_t n_actions) except -1:
        self.system, self.extractor, self.n_actions = system, extractor, n_actions
        free(self.mask)
        free(self.chances)
        self.mask = <uint8_t*>calloc(n_actions, 1)
        self.chances = <float*>calloc(n_actions, sizeof(float))
        if self.mask == NULL or self.chances == NULL:
            raise MemoryError(f"no memory for {n_actions} actions")
        return 0

    cdef int start(self, const ListC* s) except -1 nogil:
        """Every pair of the initial list is to be scored."""
        cdef size_t rows = <size_t>s.n + 1, wanted
        cdef int32_t i
        self.leaves = 1
        while <size_t>self.leaves < rows:
            self.leaves *= 2
        wanted = (rows * (self.extractor.max_features * sizeof(feat_t) + self.n_actions * sizeof(float) + sizeof(PairC)
                          + sizeof(int32_t)) + 2 * <size_t>self.leaves * sizeof(CandidateC))
        if wanted > self.bytes:
            free(self.memory)
            self.bytes = 0
            self.memory = <char*>malloc(2 * wanted)
            if self.memory == NULL:
                with gil:
                    raise MemoryError(f"no memory for the attachments of {s.n} words")
            self.bytes = 2 * wanted
        self.feats = <feat_t*>self.memory
        self.scores = <float*>(self.feats + rows * self.extractor.max_features)
        self.best = <CandidateC*>(self.scores + rows * self.n_actions)
        self.pairs = <PairC*>(self.best + 2 * self.leaves)
        self.dirty = <int32_t*>(self.pairs + rows)
        for i in range(2 * self.leaves):
            self.best[i] = CandidateC(-1, -1, 0)
        memset(self.pairs, 0, rows * sizeof(PairC))
        self.n_dirty = 0
        i = s.leftmost
        while i >= 0:
            self.touch(i, STALE_FEATURES)
            i = links(s)[i].right
        return 0

    cdef void touch(self, int32_t left, uint8_t what) noexcept nogil:
        if self.pairs[left].stale == 0:
            self.dirty[self.n_dirty] = left
            self.n_dirty += 1
        self.pairs[left].stale |= what

    cdef int32_t next_stale(self, const ListC* s, const feat_t* words) noexcept nogil:
        cdef int32_t left
        while self.n_dirty > 0:
            self.n_dirty -= 1
            left = self.dirty[self.n_dirty]
            if links(s)[left].right < 0 or not list_nodes(s)[left].on_stack:
                self.pairs[left].stale = 0                  # the last of the list, or no longer in it
                self.place(CandidateC(-1, -1, 0), left)
                continue
            if self.pairs[left].stale & STALE_FEATURES:
                self.pairs[left].n_feats = self.extractor.extract_pair(s, words, left, self.feats_of(left))
            self.pairs[left].stale = 0
            return left
        return -1

    cdef void enter(self, const ListC* s, int32_t left) noexcept nogil:
        cdef CandidateC candidate = CandidateC(-1, -1, 0)
        if self.mask_pair(s, NULL, False, left):
            candidate.action = argmax(self.scores_of(left), self.mask, self.n_actions)
            candidate.left, candidate.score = left, self.scores_of(left)[candidate.action]
        self.pairs[left].summed = 0
        self.place(candidate, left)

    cdef void place(self, CandidateC candidate, int32_t left) noexcept nogil:
        """Of two equal scores the one further left wins."""
        cdef int32_t i = self.leaves + left
        self.best[i] = candidate
        while i > 1:
            i //= 2
            self.best[i] = self.best[2 * i]
            if self.best[2 * i].left < 0 or (self.best[2 * i + 1].left >= 0
                                             and self.best[2 * i + 1].score > self.best[2 * i].score):
                self.best[i] = self.best[2 * i + 1]

    cdef void forget_scores(self, const ListC* s) noexcept nogil:
        """After a change of weights."""
        cdef int32_t i = s.leftmost
        while i >= 0:
            self.touch(i, STALE_SCORES)
            i = links(s)[i].right

    cdef void take(self, ListC* s, CandidateC choice) noexcept nogil:
        cdef int32_t head = self.head_of(s, choice), dep = self.dep_of(s, choice), i
        cdef const LinkC* link = links(s)
        self.system.apply(s, head, dep, self.label_of(choice))
        self.place(CandidateC(-1, -1, 0), dep)
        # the pairs that see the head or saw the dependent: of the head, of two words behind it, of three before it
        i = head
        for _ in range(REACH):
            if i >= 0:
                self.touch(i, STALE_FEATURES)
                i = link[i].right
        i = link[head].left
        for _ in range(REACH):
            if i >= 0:
                self.touch(i, STALE_FEATURES)
                i = link[i].left

    cdef void mask_labels(self, const GoldC* g, int32_t head, int32_t dep, uint8_t* mask) noexcept nogil:
        """Of a correct arc: the gold label if it is gold, else all (the arc was lost before)."""
        if g.node[dep].head == head and g.label_weight > 0:
            memset(mask, 0, self.system.n_labels)
            if g.node[dep].label >= 0:
                mask[g.node[dep].label] = 1
        else:
            memset(mask, 1, self.system.n_labels)

    cdef uint8_t legal_sides(self, const ListC* s, int32_t left) noexcept nogil:
        cdef int32_t right = links(s)[left].right
        return self.system.is_legal(s, right, left) | <uint8_t>self.system.is_legal(s, left, right) << 1

    cdef bint mask_pair(self, const ListC* s, const GoldC* g, bint incomplete, int32_t left) noexcept nogil:
        """Which actions of a pair are legal, and correct if g is not NULL. Are there any?"""
        cdef int32_t right = links(s)[left].right, side, head, dep
        cdef bint any_set = False, right_move
        for side in range(2):
            head, dep = (right, left) if side == 0 else (left, right)
            right_move = self.system.is_legal(s, head, dep)
            if right_move and g != NULL:
                right_move = (self.system.is_correct(s, g, head, dep) if incomplete
                              else self.system.cost(s, g, head, dep) == 0)
            any_set |= right_move
            if right_move and g != NULL:
                self.mask_labels(g, head, dep, self.mask + side * self.system.n_labels)
            else:
                memset(self.mask + side * self.system.n_labels, right_move, self.system.n_labels)
        return any_set

    cdef bint is_correct(self, const ListC* s, const GoldC* g, CandidateC choice, bint incomplete) noexcept nogil:
        """The dynamic oracle (Goldberg & Nivre 2013), or the incomplete one (Goldberg & Elhadad 2010)."""
        self.mask_pair(s, g, incomplete, choice.left)
        return self.mask[choice.action]

    cdef CandidateC best_correct(self, const ListC* s, const GoldC* g, bint incomplete) noexcept nogil:
        cdef CandidateC best = CandidateC(-1, -1, 0)
        cdef int32_t left = s.leftmost, action
        while links(s)[left].right >= 0:
            if self.mask_pair(s, g, incomplete, left):
                action = argmax(self.scores_of(left), self.mask, self.n_actions)
                if action >= 0 and (best.left < 0 or self.scores_of(left)[action] > best.score):
                    best = CandidateC(left, action, self.scores_of(left)[action])
            left = links(s)[left].right
        return best

    cdef CandidateC best_wrong(self, const ListC* s, const GoldC* g, bint incomplete) noexcept nogil:
        cdef CandidateC best = CandidateC(-1, -1, 0)
        cdef int32_t left = s.leftmost, action, a
        while links(s)[left].right >= 0:
            self.mask_pair(s, g, incomplete, left)
            for a in range(self.n_actions):
                self.chances[a] = -INFINITY if self.mask[a] else self.scores_of(left)[a]
            if self.mask_pair(s, NULL, False, left):
                action = argmax(self.chances, self.mask, self.n_actions)
                if action >= 0 and self.chances[action] > -INFINITY and (best.left < 0
                                                                         or self.chances[action] > best.score):
                    best = CandidateC(left, action, self.chances[action])
            left = links(s)[left].right
        return best

    cdef int32_t distance(self, CandidateC one, CandidateC other) noexcept nogil:
        cdef const feat_t* a = self.feats_of(one.left)
        cdef const feat_t* b = self.feats_of(other.left)
        cdef int32_t i, k, n = self.pairs[one.left].n_feats, m = self.pairs[other.left].n_feats, found = 0
        for i in range(n):
            found += a[i] != 0
        for k in range(m):
            found += b[k] != 0
        if one.action == other.action:
            for i in range(n):
                for k in range(m):
                    found -= 2 * (a[i] == b[k] and a[i] != 0)
        return found

    cdef double log_total(self, const ListC* s, const GoldC* g, bint incomplete) noexcept nogil:
        """Numbers are taken below the best of all, which is known; below the best correct one, which has to be looked
        for, where that is so far down that they would vanish."""
        cdef double top = self.best[1].score, total = self.total_below(s, g, incomplete, top)
        if g != NULL and total < 1e-290:        # smaller ones have fewer digits, or none
            top = self.best_correct(s, g, incomplete).score
            total = self.total_below(s, g, incomplete, top)
        return top + log(total)

    cdef double total_below(self, const ListC* s, const GoldC* g, bint incomplete, double top) noexcept nogil:
        cdef double total = 0
        cdef int32_t left = s.leftmost
        while links(s)[left].right >= 0:
            if g == NULL:
                total += exp(self.log_sum(s, left) - top)
            elif (self.mask_pair(s, g, incomplete, left)
                    and argmax(self.scores_of(left), self.mask, self.n_actions) >= 0):
                total += exp(softmax(self.scores_of(left), self.mask, self.n_actions, self.chances) - top)
            left = links(s)[left].right
        return total

    cdef double log_sum(self, const ListC* s, int32_t left) noexcept nogil:
        """Kept as long as the pair has its scores and what is legal: few pairs change with an attachment."""
        cdef PairC* pair = &self.pairs[left]
        cdef uint8_t legal = self.legal_sides(s, left)
        if legal == 0:
            return -INFINITY
        if pair.summed != legal:
            self.mask_pair(s, NULL, False, left)
            pair.log_sum = softmax(self.scores_of(left), self.mask, self.n_actions, self.chances)
            pair.summed = legal
        return pair.log_sum

    cdef void pair_chances(self, const ListC* s, const GoldC* g, bint incomplete, int32_t left, double log_total,
                           float* out) noexcept nogil:
        cdef double share
        cdef int32_t a
        if not self.mask_pair(s, g, incomplete, left) or argmax(self.scores_of(left), self.mask, self.n_actions) < 0:
            memset(out, 0, self.n_actions * sizeof(float))
            return
        share = exp(softmax(self.scores_of(left), self.mask, self.n_actions, out) - log_total)
        for a in range(self.n_actions):
            out[a] = <float>(out[a] * share)
