"""Building the gold structure; see gold.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from parser.common cimport ARCSPEED_IS_CHECKED, label_t
from parser.treebank.tree cimport TreeProblem, tree_check, tree_is_projective


cdef inline size_t with_slack(size_t bytes) noexcept nogil:
    """Room to grow; none in checked builds, where the sanitizer is to see the first byte too far."""
    return bytes if ARCSPEED_IS_CHECKED else 2 * bytes


cdef void count_dependents(GoldC* g) noexcept nogil:
    """begin and right from the heads: dependents are numbered head by head, ascending within one."""
    cdef int32_t i, total = 0, lefts, all_deps
    for i in range(1, g.n + 1):             # end: number of dependents; right: number of left ones
        g.node[g.node[i].head].end += 1
        g.node[g.node[i].head].right += i < g.node[i].head
    for i in range(g.n + 1):
        all_deps, lefts = g.node[i].end, g.node[i].right
        g.node[i].begin = g.node[i].end = total
        g.node[i].right = total + lefts
        total += all_deps
    for i in range(1, g.n + 1):
        g.deps[g.node[g.node[i].head].end] = i
        g.node[g.node[i].head].end += 1


cdef void mark_spine(GoldC* g) noexcept nogil:
    """In a projective tree the ancestors of the last word descend towards the left: n > gh(n) > gh(gh(n)) ..."""
    cdef int32_t i, word = g.n
    for i in range(g.n, 0, -1):
        if word > 0 and i == g.node[word].head:
            word = i
        g.node[i].spine = word


cdef class GoldBlock:
    def __cinit__(self):
        self.memory = self.c.work = NULL
        self.bytes = self.c.work_bytes = 0
        self.c.head_weight = self.c.label_weight = 1
        self.c.n = 0

    def __dealloc__(self):
        free(self.memory)
        free(self.c.work)

    cdef int fill(self, const int32_t* heads, const label_t* labels, int32_t n, bint single_root) except -1 nogil:
        """Returns a GoldProblem; after anything but GOLD_OK the structure is not to be used."""
        cdef GoldC* g = &self.c
        cdef int32_t i
        cdef size_t wanted = sizeof(GoldNode) * (<size_t>n + 1) + sizeof(int32_t) * (<size_t>n + 1)
        cdef int32_t* scratch = <int32_t*>gold_scratch(g, 6 * (<size_t>n + 1) * sizeof(int32_t))
        if wanted > self.bytes:
            free(self.memory)
            self.bytes = 0
            wanted = with_slack(wanted)
            self.memory = <char*>malloc(wanted)
            if self.memory == NULL:
                with gil:
                    raise MemoryError(f"no memory for a gold tree of {n} words")
            self.bytes = wanted
        g.n = n
        g.node = <GoldNode*>self.memory
        g.deps = <int32_t*>(self.memory + sizeof(GoldNode) * (<size_t>n + 1))
        check = tree_check(heads, n, scratch)
        g.roots = check.roots
        if check.problem != TreeProblem.OK and check.problem != TreeProblem.SEVERAL_ROOTS:
            return GoldProblem.GOLD_NO_TREE
        if not tree_is_projective(heads, n, scratch):
            return GoldProblem.GOLD_NONPROJECTIVE
        if single_root and check.roots != 1:
            return GoldProblem.GOLD_SEVERAL_ROOTS
        memset(g.node, 0, sizeof(GoldNode) * (<size_t>n + 1))
        g.node[0].head, g.node[0].label = -2, -1
        for i in range(1, n + 1):
            g.node[i].head = heads[i - 1]
            g.node[i].label = labels[i - 1] if labels != NULL else -1
        count_dependents(g)
        mark_spine(g)
        g.root = g.deps[g.node[0].begin]
        return GoldProblem.GOLD_OK


cdef void* gold_scratch(GoldC* g, size_t bytes) except NULL nogil:
    if bytes > g.work_bytes:
        free(g.work)
        g.work_bytes = 0
        g.work = <char*>malloc(with_slack(bytes))
        if g.work == NULL:
            with gil:
                raise MemoryError(f"no memory for an oracle's scratch ({bytes} bytes)")
        g.work_bytes = with_slack(bytes)
    return g.work
