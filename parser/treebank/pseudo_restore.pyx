"""The inverse of pseudo-projective encoding (Nivre & Nilsson 2005, section 2).

The new head of a lifted word is searched below its present head, breadth first, from left to right:

    head        the first word whose plain label is the wanted one;
    head+path   the same over words that are marked as on a path; where there is none, as in `head`;
    path        over words that are marked as on a path, the first one that has no such word below it.

A word for which none is found stays where it is. The word's own subtree is not searched, so the result is a tree.
Which of the three applies is seen from the label itself. Lifted words are taken from the top of the encoded tree to its
bottom, each level from left to right. The paper leaves this order open; on Basque, where a third of the trees are not
projective, it restores more words than left to right, bottom up, longest or shortest first.
"""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

import numpy as np

from parser.common cimport CHECK, label_t

from parser.treebank.pseudo import split_label
from parser.treebank.tree import TreeError, problem


cdef void list_children(const int32_t* heads, int32_t n, Children* below) noexcept nogil:
    cdef int32_t i
    memset(below.first, 0xff, (n + 1) * sizeof(int32_t))
    below.next[0] = -1
    for i in range(n, 0, -1):
        CHECK(0 <= heads[i - 1] <= n)
        below.next[i] = below.first[heads[i - 1]]
        below.first[heads[i - 1]] = i


cdef int32_t* place_of(Children* below, int32_t head, int32_t word) noexcept nogil:
    """The link in the list of head's children that leads to `word`, or would."""
    cdef int32_t* link = &below.first[head]
    while link[0] >= 0 and link[0] < word:
        link = &below.next[link[0]]
    return link


cdef void move_word(Children* below, int32_t word, int32_t old, int32_t new) noexcept nogil:
    place_of(below, old, word)[0] = below.next[word]
    cdef int32_t* link = place_of(below, new, word)
    below.next[word] = link[0]
    link[0] = word


cdef int32_t breadth_first(const Children* below, int32_t* order) noexcept nogil:
    """All nodes from ROOT down; gives their number."""
    cdef int32_t done = 0, end = 1, k
    order[0] = 0
    while done < end:
        k = below.first[order[done]]
        done += 1
        while k >= 0:
            order[end] = k
            end += 1
            k = below.next[k]
    return end


cdef class Restorer:
    """Knows what encoded labels mean. `names` are a model's labels by id; plain labels must be among them."""

    def __init__(self, names):
        self.names = list(names)
        self.n_labels = <int32_t>len(self.names)
        self.mem = Pool()
        self.codes = <LabelCode*>self.mem.alloc(max(1, self.n_labels), sizeof(LabelCode))
        ids = {name: i for i, name in enumerate(self.names)}
        if len(ids) != self.n_labels:
            raise ValueError("labels: one is given twice")
        for i, name in enumerate(self.names):
            plain, wanted, on_path = split_label(name)
            for part in (plain, wanted):
                if part and part not in ids:
                    raise ValueError(f"label {name!r} is made of {part!r}, which is not a label")
            if not plain:
                raise ValueError(f"label {name!r} has marks of a lifted arc but no plain label")
            self.codes[i].plain = ids[plain]
            self.codes[i].wanted = NOT_LIFTED if wanted is None else ids[wanted] if wanted else LOST_HEAD_UNNAMED
            self.codes[i].on_path = on_path
            self.has_paths |= on_path
            self.has_lifted |= wanted is not None

    cdef int32_t restore(self, int32_t* heads, label_t* labels, int32_t n, int32_t* scratch) noexcept nogil:
        """Linear where no label is marked as lifted; each lifted word costs a search of its head's subtree."""
        cdef int32_t i, word, new, count, lifted = 0, moved = 0
        for i in range(n):
            CHECK(-1 <= labels[i] < self.n_labels)
            lifted += labels[i] >= 0 and self.codes[labels[i]].wanted != NOT_LIFTED
        cdef Children below
        below.first, below.next = scratch, scratch + (n + 1)
        cdef int32_t* order = scratch + 2 * (n + 1)
        cdef int32_t* queue = scratch + 3 * (n + 1)
        if lifted > 0:
            list_children(heads, n, &below)
            count = breadth_first(&below, order)
            CHECK(count == n + 1)
            for i in range(1, count):
                word = order[i]
                if labels[word - 1] < 0 or self.codes[labels[word - 1]].wanted == NOT_LIFTED:
                    continue
                new = self.find_head(&below, labels, word, heads[word - 1], queue)
                if new > 0:
                    move_word(&below, word, heads[word - 1], new)
                    heads[word - 1] = new
                    moved += 1
        for i in range(n):
            if labels[i] >= 0:
                labels[i] = self.codes[labels[i]].plain
        return moved

    cdef int32_t find_head(self, const Children* below, const label_t* labels, int32_t word, int32_t above,
                           int32_t* queue) noexcept nogil:
        cdef label_t wanted = self.codes[labels[word - 1]].wanted
        cdef int32_t found = 0
        if self.has_paths:
            found = self.search(below, labels, word, above, wanted, True, queue)
        if found == 0 and wanted != LOST_HEAD_UNNAMED:
            found = self.search(below, labels, word, above, wanted, False, queue)
        return found

    cdef int32_t search(self, const Children* below, const label_t* labels, int32_t word, int32_t above, label_t wanted,
                        bint along_path, int32_t* queue) noexcept nogil:
        """The first target below `above`, 0 if there is none; `word` and what is below it is passed over."""
        cdef int32_t done = 0, end = 1, k
        queue[0] = above
        while done < end:
            k = below.first[queue[done]]
            done += 1
            while k >= 0:
                if k != word and (not along_path or self.is_on_path(labels[k - 1])):
                    if self.is_target(below, labels, k, wanted):
                        return k
                    queue[end] = k
                    end += 1
                k = below.next[k]
        return 0

    cdef bint is_target(self, const Children* below, const label_t* labels, int32_t word,
                        label_t wanted) noexcept nogil:
        cdef int32_t k
        if wanted != LOST_HEAD_UNNAMED:
            return labels[word - 1] >= 0 and self.codes[labels[word - 1]].plain == wanted
        k = below.first[word]
        while k >= 0 and not self.is_on_path(labels[k - 1]):
            k = below.next[k]
        return k < 0

    cdef bint is_on_path(self, label_t label) noexcept nogil:
        return label >= 0 and self.codes[label].on_path

    def decode(self, heads, labels):
        """(heads, plain label ids) as lists; label -1 stays. For tests and the interpreter, not for loops."""
        what = problem(heads)
        if what is not None:
            raise TreeError(what)
        if len(labels) != len(heads):
            raise ValueError(f"{len(heads)} heads, but {len(labels)} labels")
        for label in labels:
            if not -1 <= label < self.n_labels:
                raise ValueError(f"label {label}, expected -1..{self.n_labels - 1}")
        cdef int32_t n = <int32_t>len(heads)
        heads_array = np.append(np.asarray(heads, dtype=np.int32), np.int32(0))
        labels_array = np.append(np.asarray(labels, dtype=np.int32), np.int32(0))
        scratch_array = np.empty(RESTORE_SCRATCH * (n + 1), dtype=np.int32)
        cdef int32_t[::1] heads_view = heads_array, labels_view = labels_array, scratch = scratch_array
        self.restore(&heads_view[0], &labels_view[0], n, &scratch[0])
        return heads_array[:n].tolist(), labels_array[:n].tolist()

    def decode_all(self, heads, labels, offsets):
        """Restores all trees of a corpus in place: int32 arrays over its words; offsets (int64) of the sentences.

        Returns the number of arcs moved. Heads must be trees and labels ids or -1, as a parser gives them.
        """
        cdef int32_t[::1] heads_view = heads, labels_view = labels
        cdef const int64_t[::1] starts = offsets
        cdef int64_t k, moved = 0
        if heads_view.shape[0] != labels_view.shape[0] or starts[starts.shape[0] - 1] != heads_view.shape[0]:
            raise ValueError("heads, labels and offsets are not of one corpus")
        if heads_view.shape[0] == 0:
            return 0
        scratch_array = np.empty(RESTORE_SCRATCH * (int(np.diff(offsets).max()) + 1), dtype=np.int32)
        cdef int32_t[::1] scratch = scratch_array
        with nogil:
            for k in range(starts.shape[0] - 1):
                if starts[k + 1] > starts[k]:
                    moved += self.restore(&heads_view[starts[k]], &labels_view[starts[k]],
                                          <int32_t>(starts[k + 1] - starts[k]), &scratch[0])
        return int(moved)
