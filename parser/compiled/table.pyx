"""Building and checking the bucketed table; see table.pxd."""

from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

import numpy as np

from parser.common cimport feat_t

SIZES = 64      # that are tried; with hashed keys the first one is as good as sure to do
LOAD = 0.9      # of all slots; the bound for tables from files is that some slot is free


cdef class Table:
    def __init__(self, buckets, rows, int32_t n_columns):
        """ValueError unless every reference leads to a whole row: the arrays may come from any file."""
        cdef const uint32_t[:, ::1] table
        cdef const uint8_t[::1] bytes_
        if not isinstance(buckets, np.ndarray) or buckets.dtype != np.uint32 or buckets.ndim != 2 \
                or buckets.shape[1] != 2 * SLOTS or not buckets.shape[0] or not buckets.flags.c_contiguous:
            raise ValueError("compiled weights: no table of buckets")
        if not isinstance(rows, np.ndarray) or rows.dtype != np.uint8 or rows.ndim != 1 or not len(rows) \
                or not rows.flags.c_contiguous or not 1 <= n_columns <= 65535:
            raise ValueError("compiled weights: no rows")
        table, bytes_ = buckets, rows
        self.buckets, self.rows, self.n_columns = buckets, rows, n_columns
        self.c.buckets, self.c.rows = <const BucketC*>&table[0, 0], &bytes_[0]
        self.c.n_buckets, self.c.n_columns, self.c.wide_columns = <uint64_t>table.shape[0], n_columns, n_columns > 256
        self.check(<int64_t>bytes_.shape[0])
        self.fill_filter()

    def check(self, int64_t n_bytes):
        cdef uint64_t i
        cdef bint has_room = False, right = True
        with nogil:
            for i in range(self.c.n_buckets):
                right &= is_filled_from_front(&self.c.buckets[i]) and leads_to_rows(&self.c, i, n_bytes)
                has_room |= self.c.buckets[i].row[SLOTS - 1] == 0
        if not right or not has_room:
            raise ValueError("compiled weights: a reference that leads nowhere")

    def fill_filter(self):
        """About 10 bits a key, so that three in a hundred missing keys pass."""
        cdef uint64_t i, n_words = 64
        cdef uint32_t check
        cdef int32_t k
        while n_words * 64 < 10 * SLOTS * LOAD * self.c.n_buckets and n_words < 1 << 24:
            n_words *= 2
        self.filter = np.zeros(n_words, np.uint64)
        self.c.filter = &self.filter[0]
        self.c.filter_shift = 33 - int(n_words).bit_length()
        with nogil:
            for i in range(self.c.n_buckets):
                for k in range(SLOTS):
                    if self.c.buckets[i].row[k] != 0:
                        check = self.c.buckets[i].check[k]
                        self.filter[check >> self.c.filter_shift] |= (<uint64_t>1 << (check & 63)
                                                                      | <uint64_t>1 << (check >> 6 & 63))

    def __len__(self):
        return int(np.count_nonzero(self.buckets[:, SLOTS:]))

    def sums(self, keys):
        """The sums of the rows of some keys, by column: for tests and the interpreter."""
        out = np.zeros(self.n_columns, np.int32)
        cdef int32_t[::1] total = out
        cdef uint64_t key
        cdef uint32_t row
        for key in keys:
            row = find_row(&self.c, key)
            if row:
                add_table_row(&self.c, row, &total[0])
        return out


cdef bint is_filled_from_front(const BucketC* bucket) noexcept nogil:
    """And does no check stand there twice?"""
    cdef int32_t j, k
    cdef uint32_t same = 0, wrong = 0
    for k in range(1, SLOTS):
        wrong |= bucket.row[k] != 0 and bucket.row[k - 1] == 0
        for j in range(k):
            same |= bucket.row[k] != 0 and bucket.check[j] == bucket.check[k]
    return not (same | wrong)


cdef bint leads_to_rows(const TableC* t, uint64_t bucket, int64_t n_bytes) noexcept nogil:
    cdef int32_t k
    for k in range(SLOTS):
        if t.buckets[bucket].row[k] != 0 and not fits(t, t.buckets[bucket].row[k], n_bytes):
            return False
    return True


cdef bint fits(const TableC* t, uint32_t at, int64_t n_bytes) noexcept nogil:
    """Does a row that starts there end within the bytes, and name columns that exist, in ascending order?"""
    cdef RowC row
    cdef int32_t i, column, before = -1
    cdef bint ascends = True
    if <int64_t>at + 2 > n_bytes:
        return False
    open_row(t, at, &row)
    if at + 2 + <int64_t>row.n * (1 + row.wide_columns + 1 + row.wide) > n_bytes:
        return False
    for i in range(row.n):
        column = column_in(&row, i)
        ascends &= column > before
        before = column
    return row.n > 0 and ascends and before < t.n_columns


def build_table(model):
    """The Table of a Quantised model."""
    n_buckets = max(int(len(model.keys) / (SLOTS * LOAD)) + 1, 1)
    for _ in range(SIZES):
        try:
            return fill_table(model, n_buckets)
        except SameCheck:       # two keys of one bucket; in a table of another size they part
            n_buckets += 1 + n_buckets // 64
    raise ValueError("compiled weights: keys that no table can tell apart")


class SameCheck(Exception):
    """Two keys of one bucket cannot be told apart."""


def fill_table(model, n_buckets):
    """Equal rows, of which there are many short ones, are stored once."""
    n_columns = len(model.actions)
    cdef bint wide_columns = n_columns > 256
    cdef const feat_t[::1] keys = model.keys
    cdef const int64_t[::1] offsets = model.offsets
    cdef const uint16_t[::1] columns = model.columns
    cdef const int16_t[::1] values = model.values
    buckets = np.zeros((n_buckets, 2 * SLOTS), np.uint32)
    rows = np.zeros(1 + 2 * len(model.keys) + 4 * len(model.values), np.uint8)
    cdef uint32_t[:, ::1] table = buckets
    cdef uint8_t[::1] out = rows
    cdef uint64_t at = 1, i, bucket
    cdef int64_t size
    cdef int32_t slot
    cdef dict known = {}
    if len(rows) >> 32:
        raise ValueError("a model of more than 4 GiB")
    for i in range(<uint64_t>keys.shape[0]):
        bucket = ((keys[i] >> 32) * <uint64_t>table.shape[0]) >> 32
        slot = 0
        while table[bucket, SLOTS + slot] != 0:
            if table[bucket, slot] == <uint32_t>keys[i]:
                raise SameCheck
            slot += 1
            if slot == SLOTS:
                slot, bucket = 0, (bucket + 1) % <uint64_t>table.shape[0]
        size = write_row(&out[at], &columns[offsets[i]], &values[offsets[i]], offsets[i + 1] - offsets[i], wide_columns)
        table[bucket, slot] = <uint32_t>keys[i]
        table[bucket, SLOTS + slot] = known.setdefault((<char*>&out[at])[:size], at)
        at += size if table[bucket, SLOTS + slot] == at else 0
    return Table(buckets, rows[:at].copy(), n_columns)


cdef int64_t write_row(uint8_t* out, const uint16_t* columns, const int16_t* values, int64_t n,
                       bint wide_columns) noexcept nogil:
    """Its length in bytes."""
    cdef int64_t k
    cdef bint wide = False
    cdef uint8_t* at = out + 2
    for k in range(n):
        wide |= not -128 <= values[k] <= 127
    put16(out, <uint16_t>(2 * n + wide))
    for k in range(n):
        at = put(at, columns[k], wide_columns)
    for k in range(n):
        at = put(at, <uint16_t>values[k], wide)
    return at - out


cdef inline uint8_t* put(uint8_t* out, uint16_t value, bint wide) noexcept nogil:
    """Where the next one goes."""
    if wide:
        put16(out, value)
    else:
        out[0] = <uint8_t>(value & 255)
    return out + (2 if wide else 1)


cdef inline void put16(uint8_t* out, uint16_t value) noexcept nogil:
    out[0] = <uint8_t>(value & 255)
    out[1] = <uint8_t>(value >> 8)
