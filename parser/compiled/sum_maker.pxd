"""Sums of rows that are not remembered yet: made the plain way, template by template, and remembered."""

from libc.stdint cimport int32_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.compiled.flat cimport Flat, LookupC, kernel_ref, kernel_scene, kernel_work
from parser.compiled.memory cimport MemoryC
from parser.compiled.table cimport RowC, Table, TableC
from parser.feature.extract cimport Extractor


cdef class SumMaker(Flat):
    cdef readonly Table table
    cdef TableC rows_of
    cdef int32_t n_columns      # of the table;
    cdef int32_t blocks, width  # of a long row, in lines and in numbers

    # Makes those rows of a state that are 0, of which nothing is known, in three steps; between them memory has time to
    # answer. Which they are and the keys of their templates' features, where these have their rows, and the sums.
    cdef void ask(self, const MemoryC* m, kernel_work* work) noexcept nogil
    cdef void find(self, const MemoryC* m, kernel_work* work) noexcept nogil
    cdef void make_rows(self, MemoryC* m, kernel_work* work) noexcept nogil
    # What the k-th row of a state is made by.
    cdef const LookupC* lookup_of(self, const kernel_work* work, int32_t k) noexcept nogil
    # The key of that row, mixed, where it is no reference.
    cdef uint64_t key_of_row(self, const MemoryC* m, const kernel_work* work, int32_t k) noexcept nogil
    cdef uint32_t fill_ref(self, MemoryC* m, const kernel_ref* ref, const kernel_scene* scene,
                           const feat_t* features) noexcept nogil
    cdef uint32_t make(self, MemoryC* m, const LookupC* lookup, uint64_t key, const feat_t* features) noexcept nogil
    cdef uint32_t copy(self, MemoryC* m, uint64_t key, uint32_t at) noexcept nogil
    # The same where the key is known to be new.
    cdef uint32_t copy_under(self, MemoryC* m, uint64_t key, uint32_t at) noexcept nogil
    cdef void write_row(self, MemoryC* m, const RowC* found, uint64_t key, uint32_t row) noexcept nogil
    cdef void write_feature(self, const MemoryC* m, int32_t k, kernel_work* work) noexcept nogil
    # What a reference's sum is remembered under.
    cdef uint64_t key_of(self, const kernel_ref* ref, const kernel_scene* scene) noexcept nogil
    cdef void write_features(self, const MemoryC* m, const LookupC* lookup, uint64_t present,
                             kernel_work* work) noexcept nogil
    cdef uint64_t present_of(self, const MemoryC* m, const kernel_scene* scene) noexcept nogil
    # Where the row of a feature stands in the table; 0: it has none.
    cdef uint32_t row_of(self, feat_t feature) noexcept nogil


# Of a feature in a state; 0: the template, the extractor's rule at that place, does not fire.
cdef feat_t key_of_template(const MemoryC* m, Extractor e, int32_t place, uint64_t present,
                            const kernel_scene* scene) noexcept nogil
