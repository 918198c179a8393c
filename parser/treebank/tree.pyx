"""Well-formedness, projectivity, lifting and measures of dependency trees.

The C functions work on int32 arrays without the GIL; the Python functions below take any sequence of heads.
All of them expect a scratch block of 6 * (n + 1) int32 and allocate nothing.
"""

from libc.stdint cimport int32_t
from libc.stdlib cimport abs
from libc.string cimport memset

import numpy as np

from parser.common cimport CHECK

SCRATCH = 6


cdef TreeCheck tree_check(const int32_t* heads, int32_t n, int32_t* scratch) noexcept nogil:
    """Is every word headed, and does every word reach ROOT? O(n): each word is walked over once."""
    cdef TreeCheck found
    cdef int32_t i, k, h
    found.problem, found.word, found.roots = TreeProblem.OK, 0, 0
    for i in range(1, n + 1):
        h = heads[i - 1]
        if h == i:
            found.problem, found.word = TreeProblem.OWN_HEAD, i
            return found
        if h < 0 or h > n:
            found.problem, found.word = TreeProblem.NO_HEAD if h == -1 else TreeProblem.HEAD_OUT_OF_RANGE, i
            return found
        if h == 0:
            found.roots += 1
            if found.roots == 2:
                found.word = i
    # seen[k] = number of the walk that first met k; meeting one's own walk again is a cycle
    cdef int32_t* seen = scratch
    memset(seen, 0, (n + 1) * sizeof(int32_t))
    for i in range(1, n + 1):
        k = i
        while k != 0 and seen[k] == 0:
            seen[k] = i
            k = heads[k - 1]
        if k != 0 and seen[k] == i:
            found.problem, found.word = TreeProblem.CYCLE, k
            return found
    if found.roots == 0:
        found.problem, found.word = TreeProblem.NO_ROOT, 0
    elif found.roots > 1:
        found.problem = TreeProblem.SEVERAL_ROOTS
    return found


cdef void euler_tour(const int32_t* heads, int32_t n, int32_t* enter, int32_t* leave, int32_t* scratch) noexcept nogil:
    """enter[k]..leave[k] is the interval of visiting times of k's subtree; scratch: 3 * (n + 1).

    A node's children are visited in descending order; only containment of intervals matters here.
    """
    cdef int32_t* child = scratch             # last unvisited child of a node
    cdef int32_t* sibling = scratch + n + 1   # the next lower child of the same head
    cdef int32_t* stack = scratch + 2 * (n + 1)
    cdef int32_t i, k, top = 0, time = 0
    for i in range(n + 1):
        child[i] = -1
    for i in range(1, n + 1):
        sibling[i] = child[heads[i - 1]]
        child[heads[i - 1]] = i
    stack[0] = 0
    enter[0] = 0
    while top >= 0:
        k = stack[top]
        if child[k] >= 0:
            i = child[k]
            child[k] = sibling[i]
            time += 1
            enter[i] = time
            top += 1
            stack[top] = i
        else:
            leave[k] = time
            top -= 1
    CHECK(time == n)


cdef bint tree_is_projective(const int32_t* heads, int32_t n, int32_t* scratch) noexcept nogil:
    """O(n): a tree is projective iff every subtree covers as many positions as it has words."""
    cdef int32_t* first = scratch
    cdef int32_t* last = scratch + (n + 1)
    cdef int32_t* size = scratch + 2 * (n + 1)
    cdef int32_t* missing = scratch + 3 * (n + 1)   # dependents of a word whose subtrees are not closed yet
    cdef int32_t i, k, h
    memset(missing, 0, (n + 1) * sizeof(int32_t))
    for i in range(1, n + 1):
        first[i], last[i], size[i] = i, i, 1
        missing[heads[i - 1]] += 1
    for i in range(1, n + 1):
        k = i
        while k != 0 and missing[k] == 0:     # close k, and its head if k was the last one it waited for
            missing[k] = -1
            if last[k] - first[k] + 1 != size[k]:
                return False
            h = heads[k - 1]
            if h != 0:
                first[h] = min(first[h], first[k])
                last[h] = max(last[h], last[k])
                size[h] += size[k]
            missing[h] -= 1
            k = h
    return True


cdef int32_t tree_nonprojective(const int32_t* heads, int32_t n, int32_t* scratch, int32_t* words) noexcept nogil:
    """Fills `words` with the dependents of non-projective arcs, ascending, and returns their number.

    Arc (h, d) is non-projective iff some word strictly between h and d is not a descendant of h
    (Nivre & Nilsson 2005); an arc from ROOT never is.
    """
    cdef int32_t* enter = scratch
    cdef int32_t* leave = scratch + (n + 1)
    cdef int32_t d, h, k, lo, hi, count = 0
    euler_tour(heads, n, enter, leave, scratch + 2 * (n + 1))
    for d in range(1, n + 1):
        h = heads[d - 1]
        if h == 0:
            continue
        lo, hi = (h, d) if h < d else (d, h)
        for k in range(lo + 1, hi):
            if enter[k] < enter[h] or enter[k] > leave[h]:
                words[count] = d
                count += 1
                break
    return count


cdef int32_t tree_lift(int32_t* heads, int32_t n, int32_t* scratch) noexcept nogil:
    """Makes the tree projective in place and returns the number of lifts.

    Nivre & Nilsson 2005, baseline: while an arc is non-projective, the shortest such arc (ties: leftmost dependent)
    moves up to the head of its head.
    """
    cdef int32_t* words = scratch + 5 * (n + 1)
    cdef int32_t i, d, count, best, length, lifts = 0
    while not tree_is_projective(heads, n, scratch):
        count = tree_nonprojective(heads, n, scratch, words)
        best, length = 0, n + 1
        for i in range(count):
            d = words[i]
            if abs(heads[d - 1] - d) < length:
                best, length = d, abs(heads[d - 1] - d)
        CHECK(best > 0)
        heads[best - 1] = heads[heads[best - 1] - 1]
        lifts += 1
    return lifts


class TreeError(ValueError):
    """Heads that are no dependency tree; the message names the word."""


MESSAGES = {
    TreeProblem.HEAD_OUT_OF_RANGE: "word {word} has head {head}, expected 0..{n}",
    TreeProblem.OWN_HEAD: "word {word} is its own head",
    TreeProblem.CYCLE: "word {word} is on a cycle of heads, expected every word to reach ROOT",
    TreeProblem.NO_ROOT: "no word has head 0, expected a root",
    TreeProblem.SEVERAL_ROOTS: "{roots} words have head 0, expected one root (the second is word {word})",
    TreeProblem.NO_HEAD: "word {word} has no head",
}


cdef class _Heads:
    """A private copy of the heads with its scratch block: the border between Python sequences and the C functions."""
    cdef object array
    cdef object scratch_array
    cdef int32_t[::1] view
    cdef int32_t[::1] scratch
    cdef int32_t n

    def __init__(self, heads):
        array = np.array(heads, dtype=np.int64)
        if array.ndim != 1:
            raise TreeError(f"heads have {array.ndim} dimensions, expected a flat sequence of integers")
        if array.size and (array.min() < -1 or array.max() > array.size):
            word = int(np.flatnonzero((array < -1) | (array > array.size))[0])
            raise TreeError(MESSAGES[TreeProblem.HEAD_OUT_OF_RANGE].format(
                word=word + 1, head=array[word], n=array.size))
        self.array = array.astype(np.int32)
        self.n = <int32_t>array.size
        self.scratch_array = np.empty(SCRATCH * (self.n + 1), dtype=np.int32)
        # a view of an empty array has no element 0 to point at: one spare element keeps the address valid
        self.view = np.append(self.array, np.int32(0))
        self.scratch = self.scratch_array

    cdef TreeCheck check(self) noexcept:
        return tree_check(&self.view[0], self.n, &self.scratch[0])

    def require_tree(self):
        cdef TreeCheck found = self.check()
        if found.problem not in (TreeProblem.OK, TreeProblem.SEVERAL_ROOTS) and self.n:
            raise TreeError(message(found, self.n, self.array[found.word - 1] if found.word else 0))


cdef message(TreeCheck found, int32_t n, head):
    return MESSAGES[found.problem].format(word=found.word, head=head, n=n, roots=found.roots)


def problem(heads, bint single_root=False):
    """The first thing that keeps `heads` from being a tree, in words, or None. Several roots only count on request."""
    cdef _Heads h = _Heads(heads)
    cdef TreeCheck found = h.check()
    if h.n == 0 or found.problem == TreeProblem.OK:
        return None
    if found.problem == TreeProblem.SEVERAL_ROOTS and not single_root:
        return None
    return message(found, h.n, h.array[found.word - 1] if found.word else 0)


def is_projective(heads):
    """True where no arc crosses another, ROOT's arcs included. Raises TreeError where `heads` is no tree."""
    cdef _Heads h = _Heads(heads)
    h.require_tree()
    return bool(tree_is_projective(&h.view[0], h.n, &h.scratch[0]))


def nonprojective_words(heads):
    """The dependents of the non-projective arcs, ascending."""
    cdef _Heads h = _Heads(heads)
    h.require_tree()
    words_array = np.empty(h.n + 1, dtype=np.int32)
    cdef int32_t[::1] words = words_array
    return words_array[:tree_nonprojective(&h.view[0], h.n, &h.scratch[0], &words[0])].tolist()


def lift(heads):
    """(projective heads, number of lifts): Nivre & Nilsson 2005, shortest non-projective arc first."""
    cdef _Heads h = _Heads(heads)
    h.require_tree()
    cdef int32_t lifts = tree_lift(&h.view[0], h.n, &h.scratch[0])
    return np.asarray(h.view)[:h.n].tolist(), int(lifts)


def depths(heads):
    """The number of arcs from ROOT to each word (1 for a root word)."""
    cdef _Heads h = _Heads(heads)
    h.require_tree()
    cdef int32_t* depth = &h.scratch[0]
    cdef int32_t i, k, below
    memset(depth, 0, (h.n + 1) * sizeof(int32_t))
    for i in range(1, h.n + 1):
        k, below = i, 0
        while k != 0 and depth[k] == 0:
            k = h.view[k - 1]
            below += 1
        below += depth[k]
        k = i
        while k != 0 and depth[k] == 0:
            depth[k] = below
            below -= 1
            k = h.view[k - 1]
    return np.asarray(h.scratch)[1:h.n + 1].tolist()


def children(heads):
    """children(heads)[k] lists the dependents of k, ascending, for k = 0 (ROOT) .. n."""
    below = [[] for _ in range(len(heads) + 1)]
    for word, head in enumerate(heads, 1):
        below[head].append(word)
    return below
