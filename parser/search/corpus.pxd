"""Sentences ready for training or parsing: values of the words, and the gold tree as numbers."""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from parser.common cimport feat_t, label_t
from parser.feature.atoms cimport Atomizer
from parser.feature.extract cimport Extractor
from parser.treebank.batch cimport Batch
from parser.treebank.vocab cimport StringTable


cdef struct ExampleC:       # everything here is owned by the corpus
    int32_t n
    const feat_t* words     # the row of ROOT, as Extractor.extract wants it
    const uint64_t* keys    # [n]: values_key of each word
    const int32_t* heads    # heads[i - 1] of word i; -1: none
    const label_t* labels   # -1: not among the corpus' labels


cdef enum:
    NO_LABEL = 100          # beside GoldProblem: a word's label is not among the corpus' labels


cdef inline bint has_labels(const ExampleC* example) noexcept nogil:
    cdef int32_t i
    for i in range(example.n):
        if example.labels[i] < 0:
            return False
    return True


cdef class Corpus:
    cdef readonly Extractor extractor
    cdef readonly tuple label_names
    cdef readonly int64_t n_words
    cdef Atomizer atomizer
    cdef StringTable label_table    # id FIRST_ID + i is label i
    cdef Pool mem                   # owns what the examples point to
    cdef ExampleC* examples
    cdef int32_t n, room

    cdef ExampleC* new_example(self, int32_t n) except NULL
    cdef label_t label_of(self, Batch batch, uint32_t word, int32_t column) except -2
    cdef void finish_example(self) noexcept
