"""String <-> id, one table per column, by 64-bit murmur hash; frozen after training.

Ids 0, 1, 2 are reserved in every table: missing (`_`), unknown (not in a frozen table) and ROOT. Strings take 3, 4, ...
in the order in which they were first met, so the same data gives the same ids.

Two different strings of equal hash would share an id: with ten million strings in a table the chance is about 3 in a
million. What is written to files comes from the input's own bytes, never from ids.
"""

from cymem.cymem cimport Pool
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcpy
from murmurhash.mrmr cimport hash64
from preshed.maps cimport PreshMap, map_get

from parser.common cimport CHECK, FIRST_ID, MISSING, ROOT, UNKNOWN, id_t

RESERVED = ("_", "<unknown>", "<root>")
COLUMNS = ("form", "lemma", "upos", "xpos", "feats", "deprel")

cdef enum:
    BLOCK = 1 << 16
    HASH_SEED = 0x61726373      # "arcs": fixed for ever, since stored models hold hashed features


cdef uint64_t string_key(const char* text, int32_t length) noexcept nogil:
    """MurmurHash64A (Appleby). The cast drops a const that the C declaration lacks; the bytes are only read."""
    return hash64(<void*>text, length, HASH_SEED)


cdef class StringTable:
    """The strings of one column with their ids.

    name: of the column; frozen: are no new strings taken?
    """

    def __init__(self, str name="strings"):
        self.name = name
        self.mem = Pool()
        self.ids = PreshMap(1024)
        self.capacity = 1024
        self.texts = <TextC*>self.mem.alloc(self.capacity, sizeof(TextC))
        self.memo = <MemoC*>self.mem.alloc(MEMO, sizeof(MemoC))
        self.n = 0
        for word in RESERVED:
            encoded = word.encode()
            self.keep_text(encoded, <int32_t>len(encoded))

    cdef int keep_text(self, const char* text, int32_t length) except -1:
        """Copies the string behind the last one; ids are positions, so this also gives out the id."""
        if self.n == self.capacity:
            self.texts = <TextC*>self.mem.realloc(self.texts, 2 * self.capacity * sizeof(TextC))
            self.capacity *= 2
        if length > self.block_left:
            size = max(length, <int32_t>BLOCK)
            self.block = <char*>self.mem.alloc(size, 1)
            self.block_left = size
        memcpy(self.block, text, length)
        self.texts[self.n].start = self.block
        self.texts[self.n].length = length
        self.block += length
        self.block_left -= length
        self.n += 1
        return 0

    cdef id_t find(self, const char* text, int32_t length) noexcept nogil:
        """The string's id, or UNKNOWN."""
        cdef id_t found = <id_t><size_t>map_get(self.ids.c_map, string_key(text, length))
        return found if found else <id_t>UNKNOWN

    cdef id_t intern(self, const char* text, int32_t length) except -1 nogil:
        """The string's id, given out now if it has none; UNKNOWN for a new string in a frozen table."""
        cdef MemoC ends = string_ends(text, length)
        cdef const MemoC* entry = memo_entry(self.memo, ends)
        if memo_holds(entry, ends, self.texts, text):
            return entry.id
        return self.intern_new(text, length, ends)

    cdef id_t intern_new(self, const char* text, int32_t length, MemoC ends) except -1 nogil:
        """The way past the memo. A frozen table is shared by threads: nothing in it is written, its memo included."""
        cdef uint64_t key = string_key(text, length)
        cdef id_t found = <id_t><size_t>map_get(self.ids.c_map, key)
        if self.frozen:
            return found if found else <id_t>UNKNOWN
        if found == 0:
            with gil:
                found = self.insert(text, length, key)
        ends.id = found
        memo_entry(self.memo, ends)[0] = ends
        return found

    cdef id_t insert(self, const char* text, int32_t length, uint64_t key) except -1:
        cdef id_t new = self.n
        CHECK(new >= FIRST_ID)
        self.keep_text(text, length)
        self.ids.set(key, <void*><size_t>new)
        return new

    def add(self, str text not None):
        """The id of `text`, given out now if it has none. A frozen table answers 1 (unknown) for a new string."""
        encoded = text.encode()
        return self.intern(encoded, <int32_t>len(encoded))

    def extend(self, const uint32_t[::1] offsets not None, const unsigned char[::1] text not None):
        """Adds the strings text[offsets[i]:offsets[i + 1]], none of which may be there yet: fast, for files."""
        cdef Py_ssize_t i
        cdef uint32_t start, end
        cdef id_t expected
        cdef const char* bytes_ = b""
        if text.shape[0]:
            bytes_ = <const char*>&text[0]
        if self.frozen:
            raise ValueError(f"{self.name}: the table is frozen")
        for i in range(offsets.shape[0] - 1):
            start, end = offsets[i], offsets[i + 1]
            if start > end or end > text.shape[0]:
                raise ValueError(f"{self.name}: string {i} ends at {end} of {text.shape[0]} bytes")
            expected = self.n
            if self.intern(bytes_ + start, <int32_t>(end - start)) != expected:
                raise ValueError(f"{self.name}: string {i} is there twice")

    def __getitem__(self, str text not None):
        """The id of `text`, 1 (unknown) if it has none."""
        encoded = text.encode()
        return self.find(encoded, <int32_t>len(encoded))

    def __contains__(self, str text not None):
        return self[text] != UNKNOWN

    def string(self, int32_t number):
        """The string with this id; the reserved ids give `_`, `<unknown>` and `<root>`."""
        if not 0 <= number < self.n:
            raise IndexError(f"{self.name}: id {number} is not in 0..{self.n - 1}")
        return self.texts[number].start[:self.texts[number].length].decode()

    def strings(self):
        """All strings in the order of their ids, from id 3 on."""
        return [self.string(number) for number in range(FIRST_ID, self.n)]

    def freeze(self):
        """From now on new strings are unknown."""
        self.frozen = True

    def __len__(self):
        """Number of ids, the three reserved ones included."""
        return self.n

    def __reduce__(self):
        return _rebuild, (self.name, self.strings(), self.frozen)


def _rebuild(name, strings, frozen):
    table = StringTable(name)
    for text in strings:
        table.add(text)
    if frozen:
        table.freeze()
    return table


class Vocab:
    """One StringTable per column of strings: form, lemma, upos, xpos, feats, deprel."""

    def __init__(self, columns=COLUMNS):
        self.tables = {name: StringTable(name) for name in columns}

    def __getitem__(self, column):
        return self.tables[column]

    def __iter__(self):
        return iter(self.tables)

    def freeze(self):
        """From now on new strings are unknown, in all columns."""
        for table in self.tables.values():
            table.freeze()

    def __repr__(self):
        sizes = ", ".join(f"{name} {len(table) - len(RESERVED)}" for name, table in self.tables.items())
        return f"Vocab({sizes})"


MISSING_ID, UNKNOWN_ID, ROOT_ID = <int>MISSING, <int>UNKNOWN, <int>ROOT
