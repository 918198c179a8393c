"""The values of the words of a sentence: a row of 64-bit numbers for each word, for ROOT and for the missing word.

A sentence of n words takes (n + 2) * stride numbers. Users hold a pointer to the row of ROOT: row i is that of word i,
row -1 says NONE throughout, so that what a template asks of a missing node needs no test.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int32_t, uint32_t, uint64_t

from parser.common cimport feat_t, id_t
from parser.feature.ascii cimport AskedC
from parser.feature.hashing cimport FEATURE_FACTORS, feature_factor
from parser.treebank.batch cimport Batch, CellC
from parser.treebank.vocab cimport StringTable

cdef enum:
    N_COLUMNS = 5               # form, lemma, upos, xpos, feats
    MAX_BASE = 512


cdef struct ColumnC:
    int32_t width               # attributes read from the column
    int32_t first               # where they stand among the values of a word
    AskedC* asked               # [width]; owned by the Atomizer
    feat_t* values              # [id * width + k], for the ids below n_known; owned by the Atomizer
    int32_t n_known
    int32_t room                # ids that fit


cdef struct CombinationC:       # a stored value: one attribute, or several in one
    int32_t n
    int32_t base[8]


cdef inline size_t atoms_length(int32_t stride, int32_t n) noexcept nogil:
    """Numbers that a sentence of n words takes."""
    return <size_t>stride * (<size_t>n + 2)


cdef inline uint64_t values_key(const feat_t* values, int32_t n) noexcept nogil:
    """Of a word's values, never 0: a sum of products, so that none waits for another."""
    cdef uint64_t key = 0
    cdef int32_t i
    for i in range(n):
        key += values[i] * (feature_factor[i % FEATURE_FACTORS] ^ <uint64_t>i << 8)     # odd, and each another
    return key | (key == 0)


cdef class Atomizer:
    """Turns words into values, remembering what each distinct string gave. One thread at a time."""
    cdef readonly object plan
    cdef readonly dict clusters
    cdef readonly int32_t stride
    cdef StringTable form, lemma, upos, xpos, feats
    cdef list attributes        # by column: the Attributes read from it
    cdef list names             # their arguments, which AskedC point at
    cdef ColumnC columns[N_COLUMNS]
    cdef CombinationC* combinations     # [stride]; owned
    cdef int32_t n_base
    cdef int32_t special[3]     # where the values of `t`, adp and cc stand among the base values, -1: not needed
    cdef int32_t class_at[2][2]  # adp, cc by UPOS and by XPOS
    cdef int32_t form_at, pos_at
    cdef int32_t place[N_COLUMNS]       # of the columns in the batch at hand, -1: not there
    cdef int32_t read[N_COLUMNS]        # the columns that anything is asked of, and the form,
    cdef int32_t n_read
    cdef bint is_padded         # may eight bytes be read from where a cell starts, whatever its length?
    cdef id_t* ids              # [word * N_COLUMNS + column] of the sentence at hand
    cdef int32_t ids_room

    # Call before the first fill() of every batch: looks up its layout, and forgets strings when they became too many.
    cdef int begin(self, Batch batch) except -1
    # Writes atoms_length(stride, n) numbers; the row of ROOT is out + stride.
    cdef int fill(self, Batch batch, uint32_t sentence, feat_t* out) except -1 nogil

    # The same for n words whose cells, [word * N_COLUMNS + column], are anywhere in memory; length 0: not known.
    cdef int begin_cells(self) except -1
    cdef int fill_cells(self, const CellC* cells, int32_t n, feat_t* out) except -1 nogil
    # The cells of a sentence of the batch at hand, as fill_cells takes them; others stay as they are.
    cdef void gather(self, Batch batch, uint32_t sentence, CellC* cells) noexcept nogil
    cdef id_t intern_in(self, int32_t column, CellC cell) except -1 nogil

    cdef int ask(self, ColumnC* column, attributes) except -1
    cdef int reserve_ids(self, int32_t n) except -1 nogil
    cdef int write_rows(self, int32_t n, feat_t* out) except -1 nogil
    cdef void write_row(self, const feat_t* base, feat_t* row) noexcept nogil
    cdef void add_specials(self, const id_t* ids, feat_t* base) noexcept nogil
    cdef int learn(self, int32_t column, id_t last) except -1 nogil
    cdef int learn_strings(self, int32_t column, id_t last) except -1
