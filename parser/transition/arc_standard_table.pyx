"""Tabular oracle for arc-standard, after Goldberg, Sartorio & Satta 2014.

Two steps. First the buffer shrinks to a *right stack* R: a buffer word is kept iff its gold head is not in the buffer,
or it has a gold dependent on the stack or among the kept words to its left. The others hang on their gold heads inside
the buffer at no loss. "A gold dependent left of the buffer" would not do: dependents that are already attached do not
count.
Then, with L the stack from the top down, T[a, b][r] is the largest number of gold arcs in a tree over L_a..L_0,
R_1..R_b with root r. It comes from T[a - 1, b] with the new node L_a or from T[a, b - 1] with the new node R_b: either
the old root takes the new node, or the new node takes the old root.

ROOT is the last L and never a dependent, so its row is one number per b. With a single root it joins once, at the end.
One row of T is kept: T[a - 1, b] is overwritten by T[a, b]. O(p q (p + q)) for p words on the stack and q kept.

That is too much for sentences of thousands of words (a list as one sentence): 2n states, each with tables. Where one
of LONG words or more would take more than MOST steps, only the NEAR topmost words of the stack and the next NEAR kept
words are in it, in the tables of all of the state's moves. What is further down the stack is one with ROOT then, which
may have several dependents; the gold arcs of all other words count as long as their heads are there. Costs of shorter
sentences are exact.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t

from parser.common cimport CHECK
from parser.transition.gold cimport GoldC, gold_scratch
from parser.transition.node cimport NodeC
from parser.transition.state cimport StateC, nodes, stack

cdef enum:
    NEVER = -(1 << 24)      # a root the cell's tree cannot have
    DEEP = -2               # the place of a word of the stack that is taken for ROOT,
    FAR = -3                # and of a kept one that is left out
    NEAR = 64
    MOST = 1 << 19          # steps


cdef struct Problem:        # lives in the scratch memory of the gold structure
    int32_t p               # words on the stack, ROOT not counted; node i < p is L_i
    int32_t q               # words in R; node p + j is R_(j + 1); node p + q is ROOT
    int32_t free_arcs       # gold arcs of buffer words not kept
    int32_t* node           # [p + q] word of a node
    int32_t* head           # [p + q] node of its gold head, -1: not among these
    int32_t* place          # [n + 1] node of a word; negative: none; only meaningful for stack and buffer
    int32_t* cells          # [(q + 1) * (p + q)] T of one row


cdef inline bint stacked(const NodeC* node, View view, int32_t k) noexcept nogil:
    return k == view.shifted or (node[k].on_stack == 1 and k != view.dropped)


cdef inline bint is_kept(const GoldC* g, const NodeC* node, View view, const int32_t* place, int32_t v) noexcept nogil:
    cdef int32_t i, k
    if g.node[v].head < view.front:
        return True
    for i in range(g.node[v].begin, g.node[v].right):
        k = g.deps[i]
        if place[k] >= 0 if k >= view.front else stacked(node, view, k):
            return True
    return False


cdef inline bint is_there(const GoldC* g, const NodeC* node, View view, int32_t v) noexcept nogil:
    """Can the head of v still take it?"""
    return g.node[v].head >= view.front or stacked(node, view, g.node[v].head)


cdef void list_nodes(Problem* t, const StateC* s, const GoldC* g, View view, bint near_only) noexcept nogil:
    """Fills p, q, free_arcs, node and place: the stack without ROOT from the top down, then R."""
    cdef const NodeC* node = nodes(s)
    cdef int32_t i, k, m = 0, floor = s.depth - NEAR if near_only else 0
    t.free_arcs = 0
    if view.shifted > 0:
        t.node[m] = view.shifted
        t.place[view.shifted] = m
        m += 1
    for i in range(s.depth - 1, 0, -1):
        k = stack(s)[i]
        if k == view.dropped:
            continue
        if i < floor:
            t.place[k] = DEEP
            t.free_arcs += is_there(g, node, view, k)
        else:
            t.node[m] = k
            t.place[k] = m
            m += 1
    t.p = m
    for k in range(view.front, s.n + 1):
        t.place[k] = -1
        if not is_kept(g, node, view, t.place, k):
            t.free_arcs += 1
        elif near_only and m - t.p >= NEAR:
            t.place[k] = FAR
            t.free_arcs += is_there(g, node, view, k)
        else:
            t.node[m] = k
            t.place[k] = m
            m += 1
    t.q = m - t.p


cdef void list_heads(Problem* t, const StateC* s, const GoldC* g, View view) noexcept nogil:
    cdef int32_t i, h
    for i in range(t.p + t.q):
        h = g.node[t.node[i]].head
        if h == 0:
            t.head[i] = t.p + t.q
        elif h >= view.front or stacked(nodes(s), view, h):
            t.head[i] = t.p + t.q if t.place[h] == DEEP else t.place[h]
            t.free_arcs += t.place[h] == FAR
        else:
            t.head[i] = -1


cdef inline int32_t take_old_root(const int32_t* cell, const int32_t* head, int32_t m, int32_t new) noexcept nogil:
    """The best value when the new node becomes the head of the old root."""
    cdef int32_t r, value, best = NEVER
    for r in range(m):
        value = cell[r] + (head[r] == new)
        best = value if value > best else best
    return best


cdef inline void add_right(const int32_t* left, int32_t* out, const int32_t* head, int32_t m, int32_t y) noexcept nogil:
    """out from T[a, b - 1] alone: the new node is y."""
    cdef int32_t r
    for r in range(m):
        out[r] = left[r]
    if 0 <= head[y] < m:
        out[head[y]] += 1
    out[y] = take_old_root(left, head, m, y)


cdef inline void add_left(int32_t* cell, const int32_t* head, int32_t m, int32_t x) noexcept nogil:
    """T[a - 1, 0] becomes T[a, 0]: the new node is x."""
    cdef int32_t best = take_old_root(cell, head, m, x)
    if 0 <= head[x] < m:
        cell[head[x]] += 1
    cell[x] = best


cdef inline void join(const int32_t* left, int32_t* cell, const int32_t* head, int32_t m, int32_t x,
                      int32_t y) noexcept nogil:
    """T[a - 1, b], in `cell`, becomes T[a, b]; left is T[a, b - 1]."""
    cdef int32_t r, up_value, left_value, best_x = NEVER, best_y = NEVER
    cdef int32_t hx = head[x], hy = head[y]
    for r in range(m):
        up_value = cell[r] + (head[r] == x)
        left_value = left[r] + (head[r] == y)
        best_x = up_value if up_value > best_x else best_x
        best_y = left_value if left_value > best_y else best_y
    for r in range(m):
        up_value = cell[r] + (r == hx)
        left_value = left[r] + (r == hy)
        cell[r] = up_value if up_value > left_value else left_value
    cell[x] = best_x if best_x > cell[x] else cell[x]
    cell[y] = best_y if best_y > cell[y] else cell[y]


cdef int32_t solve(Problem* t, bint single_root) noexcept nogil:
    cdef int32_t m = t.p + t.q, a, b, best = 0, value
    cdef int32_t* cell
    if t.p == 0:
        # the stack is [ROOT]: each kept word hangs on ROOT, or on a neighbour
        for b in range(t.q):
            best += t.head[b] == m
        return best
    for a in range(m):
        t.cells[a] = NEVER
    t.cells[0] = 0
    for b in range(1, t.q + 1):
        cell = t.cells + b * m
        add_right(cell - m, cell, t.head, m, t.p + b - 1)
    for a in range(1, t.p):
        add_left(t.cells, t.head, m, a)
        for b in range(1, t.q + 1):
            cell = t.cells + b * m
            join(cell - m, cell, t.head, m, a, t.p + b - 1)
    if single_root:
        return take_old_root(t.cells + t.q * m, t.head, m, m)
    best = take_old_root(t.cells, t.head, m, m)
    for b in range(1, t.q + 1):
        best += t.head[t.p + b - 1] == m
        value = take_old_root(t.cells + b * m, t.head, m, m)
        best = value if value > best else best
    return best


cdef int32_t table_best(const StateC* s, GoldC* g, View view, bint single_root, bint near_only) except -1 nogil:
    cdef Problem t
    cdef size_t m, cells
    find_problem(&t, s, g, view, near_only)
    m = <size_t>(t.p + t.q)
    cells = (t.q + 1) * m * sizeof(int32_t)
    if place_bytes(s) + cells > g.work_bytes:
        # the tables' place moves with the scratch memory: fill it again
        gold_scratch(g, place_bytes(s) + cells)
        find_problem(&t, s, g, view, near_only)
    list_heads(&t, s, g, view)
    t.cells = <int32_t*>(<char*>t.place + place_bytes(s))
    return t.free_arcs + solve(&t, single_root and not near_only)


cdef bint is_too_large(const StateC* s, GoldC* g, View view) except -1 nogil:
    cdef Problem t
    if s.n < LONG:
        return False
    find_problem(&t, s, g, view, False)
    return <int64_t>t.p * (t.q + 1) * (t.p + t.q) > MOST


cdef inline size_t place_bytes(const StateC* s) noexcept nogil:
    """Of place, node and head."""
    return 3 * (<size_t>s.n + 2) * sizeof(int32_t)


cdef int find_problem(Problem* t, const StateC* s, GoldC* g, View view, bint near_only) except -1 nogil:
    cdef int32_t* work = <int32_t*>gold_scratch(g, place_bytes(s))
    CHECK(s.depth + (view.shifted >= 0) > 0)
    t.place, t.node, t.head = work, work + s.n + 2, work + 2 * (s.n + 2)
    list_nodes(t, s, g, view, near_only)
    return 0
