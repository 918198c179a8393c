"""Sentences ready for training or parsing.

A corpus that is read again and again (a training set, a development set) is turned into numbers once: 8 bytes for each
value that the templates read from a word, about 20 of them, so some 40 MB for 200,000 words.
"""

from cymem.cymem cimport Pool
from libc.stddef cimport size_t
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport free, realloc
from libc.string cimport memcpy

import numpy as np

from parser.common cimport FIRST_ID, feat_t, label_t
from parser.feature.atoms cimport Atomizer, atoms_length, values_key
from parser.feature.extract cimport Extractor
from parser.treebank.batch cimport Batch, CellC, cell_of_line
from parser.treebank.vocab cimport StringTable


cdef class Corpus:
    def __cinit__(self):
        self.examples = NULL
        self.n = self.room = 0

    def __init__(self, Extractor extractor not None, labels, clusters=None):
        """labels: the names, in the order of their ids."""
        self.extractor = extractor
        self.atomizer = Atomizer(extractor.plan, clusters)
        self.mem = Pool()
        self.label_names = tuple(labels)
        self.label_table = StringTable("labels")
        for number, name in enumerate(self.label_names):
            if self.label_table.add(name) != FIRST_ID + number:
                raise ValueError(f"label {name!r} is given twice")
        self.label_table.freeze()

    def __dealloc__(self):
        free(self.examples)

    def __len__(self):
        return self.n

    cdef ExampleC* new_example(self, int32_t n) except NULL:
        cdef void* grown
        cdef ExampleC* example
        if n < 1:
            raise ValueError("a sentence without words")
        if self.n == self.room:
            grown = realloc(self.examples, (2 * <size_t>self.room + 1024) * sizeof(ExampleC))
            if grown == NULL:
                raise MemoryError(f"no memory for {self.n} sentences")
            self.examples = <ExampleC*>grown
            self.room = 2 * self.room + 1024
        example = &self.examples[self.n]
        example.n = n
        example.words = <feat_t*>self.mem.alloc(atoms_length(self.extractor.stride, n), sizeof(feat_t))
        example.words += self.extractor.stride
        example.keys = <uint64_t*>self.mem.alloc(n, sizeof(uint64_t))
        example.heads = <int32_t*>self.mem.alloc(n, sizeof(int32_t))
        example.labels = <label_t*>self.mem.alloc(n, sizeof(label_t))
        return example

    def add_batch(self, Batch batch not None, heads=None, labels=None):
        """All sentences of a batch. heads, labels (ids): int32 arrays over its words, instead of the batch's own.

        Labels that are not among the corpus' labels become -1.
        """
        cdef const int32_t[::1] heads_in, labels_in
        cdef int32_t column = batch.layout.column("deprel"), i
        cdef uint32_t k, first
        cdef ExampleC* example
        heads_in = batch.heads if heads is None else checked(heads, batch.c.n_words, "heads")
        if labels is not None:
            labels_in = checked(labels, batch.c.n_words, "labels")
        self.atomizer.begin(batch)
        for k in range(batch.c.n_sentences):
            first = batch.c.sentences[k].first_word
            example = self.new_example(<int32_t>(batch.c.sentences[k + 1].first_word - first))
            self.atomizer.fill(batch, k, <feat_t*>example.words - self.extractor.stride)
            for i in range(example.n):
                (<int32_t*>example.heads)[i] = heads_in[first + i]
                (<label_t*>example.labels)[i] = (labels_in[first + i] if labels is not None
                                                 else self.label_of(batch, first + i, column))
            self.finish_example()

    cdef label_t label_of(self, Batch batch, uint32_t word, int32_t column) except -2:
        cdef CellC cell = cell_of_line(&batch.c, batch.c.word_line[word], column)
        cdef int32_t found = self.label_table.find(cell.start, cell.length)
        return found - FIRST_ID if found >= FIRST_ID else -1

    def add(self, columns, heads=None, labels=None):
        """One sentence from lists of strings by column ("form", "upos", ...); labels are names."""
        rows = self.atomizer.sentence(columns)
        n = len(rows) - 2
        for name, values in (("heads", heads), ("labels", labels)):
            if values is not None and len(values) != n:
                raise ValueError(f"{n} words but {len(values)} {name}")
        cdef const feat_t[:, ::1] values_in = rows
        cdef ExampleC* example = self.new_example(<int32_t>n)
        cdef int32_t i
        if rows.size:
            memcpy(<feat_t*>example.words - self.extractor.stride, &values_in[0, 0], rows.nbytes)
        for i in range(example.n):
            (<int32_t*>example.heads)[i] = -1 if heads is None else heads[i]
            (<label_t*>example.labels)[i] = (-1 if labels is None or labels[i] not in self.label_table
                                             else self.label_table[labels[i]] - FIRST_ID)
        self.finish_example()

    cdef void finish_example(self) noexcept:
        cdef ExampleC* example = &self.examples[self.n]
        cdef int32_t i, stride = self.extractor.stride
        for i in range(example.n):
            (<uint64_t*>example.keys)[i] = values_key(example.words + <size_t>(i + 1) * stride, stride)
        self.n_words += self.examples[self.n].n
        self.n += 1

    def length(self, int32_t k):
        """Number of words of sentence k."""
        return self.example(k)[0]

    def example(self, int32_t k):
        """(number of words, heads, label ids) of sentence k."""
        if not 0 <= k < self.n:
            raise IndexError(f"sentence {k} of a corpus of {self.n}")
        cdef ExampleC* e = &self.examples[k]
        return e.n, [e.heads[i] for i in range(e.n)], [e.labels[i] for i in range(e.n)]

    def rows(self, int32_t k):
        """The values of the words of sentence k, as Atomizer.sentence gives them."""
        n = self.length(k)
        out = np.empty((n + 2, self.extractor.stride), np.uint64)
        cdef feat_t[:, ::1] view = out
        if out.size:
            memcpy(&view[0, 0], self.examples[k].words - self.extractor.stride, out.nbytes)
        return out

    @property
    def offsets(self):
        """Index of each sentence's first word, and the number of words last (int64)."""
        out = np.zeros(self.n + 1, np.int64)
        cdef int64_t[::1] view = out
        cdef int32_t k
        for k in range(self.n):
            view[k + 1] = view[k] + self.examples[k].n
        return out


def checked(values, length, name):
    array = np.ascontiguousarray(values, np.int32)
    if array.shape != (length,):
        raise ValueError(f"{name}: {array.shape} numbers for {length} words")
    return array
