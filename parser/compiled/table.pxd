"""Quantised rows behind a bucketed hash table: how a model is stored, mapped, and asked for a feature's weights.

A bucket is one cache line: eight 32-bit checks, then eight 32-bit references (0: empty). A key goes to the bucket its
upper half names, or to the next one with room. A row is a byte string in `rows`: uint16 2 * count + wide, the columns
(one byte each, two where the model has more than 256), the values (int8, or int16 if wide).
"""

from libc.stdint cimport int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

from parser.common cimport feat_t
from parser.score.keymap cimport PREFETCH

cdef enum:
    SLOTS = 8               # entries of a bucket


cdef struct BucketC:
    uint32_t check[SLOTS]
    uint32_t row[SLOTS]


cdef struct TableC:         # points into arrays owned by a Table
    const BucketC* buckets
    const uint8_t* rows
    const uint64_t* filter  # a blocked Bloom filter of the checks (Putze, Sanders & Singler 2007)
    int32_t filter_shift
    uint64_t n_buckets
    int32_t n_columns
    bint wide_columns


cdef inline uint64_t home_bucket(const TableC* t, feat_t key) noexcept nogil:
    return ((key >> 32) * t.n_buckets) >> 32


# False: the key has no row. True: it may have one.
cdef inline bint may_have_row(const TableC* t, feat_t key) noexcept nogil:
    cdef uint64_t wanted = <uint64_t>1 << (key & 63) | <uint64_t>1 << (key >> 6 & 63)
    return (t.filter[<uint32_t>key >> t.filter_shift] & wanted) == wanted


cdef inline void fetch_row(const TableC* t, feat_t key) noexcept nogil:
    """Has what says whether a key has a row, and where, on the way."""
    PREFETCH(&t.filter[<uint32_t>key >> t.filter_shift])
    PREFETCH(&t.buckets[home_bucket(t, key)])


# Where the row of a key starts in `rows`; 0: it has none.
cdef inline uint32_t find_row(const TableC* t, feat_t key) noexcept nogil:
    cdef uint64_t at = home_bucket(t, key)
    cdef uint32_t check = <uint32_t>key, row
    cdef const BucketC* bucket
    cdef int32_t i
    while True:
        bucket = &t.buckets[at]
        row = 0
        for i in range(SLOTS):      # no check stands twice in a bucket
            row |= bucket.row[i] if bucket.check[i] == check else 0
        if row != 0 or bucket.row[SLOTS - 1] == 0:  # filled from the front: with room left nothing went further on
            return row
        at = at + 1 if at + 1 < t.n_buckets else 0


cdef inline uint16_t read16(const uint8_t* at) noexcept nogil:
    return <uint16_t>(at[0] | at[1] << 8)


cdef struct RowC:               # a row of the table: count, columns and values
    const uint8_t* columns
    const uint8_t* values
    int32_t n
    bint wide_columns, wide     # two bytes for each


cdef inline void open_row(const TableC* t, uint32_t at, RowC* row) noexcept nogil:
    cdef int32_t head = read16(t.rows + at)
    row.n, row.wide, row.wide_columns = head >> 1, head & 1, t.wide_columns
    row.columns = t.rows + at + 2
    row.values = row.columns + (2 * row.n if row.wide_columns else row.n)


cdef inline int32_t column_in(const RowC* row, int32_t i) noexcept nogil:
    return read16(row.columns + 2 * i) if row.wide_columns else row.columns[i]


cdef inline int32_t value_in(const RowC* row, int32_t i) noexcept nogil:
    return <int16_t>read16(row.values + 2 * i) if row.wide else <int8_t>row.values[i]


cdef inline void add_table_row(const TableC* t, uint32_t at, int32_t* out) noexcept nogil:
    """Adds a row to n_columns numbers."""
    cdef RowC row
    cdef int32_t i
    open_row(t, at, &row)
    for i in range(row.n):
        out[column_in(&row, i)] += value_in(&row, i)


cdef class Table:
    cdef readonly object buckets        # uint32 (n, 16)
    cdef readonly object rows           # uint8
    cdef readonly int32_t n_columns
    cdef uint64_t[::1] filter
    cdef TableC c
