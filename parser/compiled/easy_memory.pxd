"""What a session remembers of easy-first: beside words and sums, what the elements of the list at hand add up to.

An element is named by its *slot*: word i has slot i + PADS. Slots 0 and 1 stand for the missing neighbours before the
list, two more for those behind it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t

from parser.compiled.memory cimport Memory, MemoryC, kernel_places

cdef enum:
    PADS = 2
    BLOCK = 256             # pairs of which the best is known
    NO_PAIR = -0x7FFFFFFF   # below every score


cdef extern from "parser/compiled/easy_kernel.h":
    enum:
        EASY_LANES
        EASY_SIZE
        EASY_MOVES
        EASY_PRESENT
        EASY_WIDE
        EASY_TAIL
        EASY_LINE
        EASY_DENSE
        EASY_WAYS
        N_EASY_KERNELS
    ctypedef struct easy_bucket:
        uint64_t key[4]
        uint64_t row[4]
    easy_bucket* easy_home(const kernel_places* places, uint64_t key) noexcept nogil
    ctypedef struct easy_kernel:
        const char* name
        void (*add)(int16_t* out, int32_t n_lines, int32_t first_line, const int16_t* first, const uint64_t* row,
                    int32_t n, const char* arena) noexcept nogil
        void (*add_single)(int16_t* out, const uint64_t* row, int32_t n, const char* arena) noexcept nogil
        int32_t (*best)(const int16_t* bias, const int16_t** lines, const int32_t* at, const int32_t* n,
                        const int16_t* mask, const int16_t* rank, int16_t* out, int32_t* top) noexcept nogil
        void (*more)(int16_t* out, const char* at, int32_t n, int32_t wide) noexcept nogil
        int32_t (*largest)(const int32_t* number, int32_t n) noexcept nogil
        int32_t (*look_up)(const easy_bucket** bucket, const uint64_t* key, int32_t n, uint64_t* row) noexcept nogil
    const easy_kernel* easy_kernels


cdef struct CountC:         # rows of an element in a shape
    uint16_t plain          # those of plain rules; they come first
    uint16_t all


cdef struct ElementC:       # of the list, or a missing one beside it
    const uint64_t* record  # of its word
    const uint64_t* rich    # what it contributes to rich sums: as the record has it, or as it is with its dependents
    uint64_t conditions     # those that hold
    int32_t word            # -1: missing
    int32_t has_dependents
    int32_t left            # neighbours in the list, missing ones included
    int32_t right
    uint32_t stale_plain    # shapes of which the plain sum must be made again,
    uint32_t stale_rich     # and of which the rest


cdef struct ListMemoryC:
    MemoryC* m
    uint64_t** of_word      # the records of the sentence's words; [-1] that of the missing one
    int32_t n_of_word
    ElementC* element       # [slot]
    int16_t* lines          # [slot][line][EASY_LANES]: the sums that pairs add up, and those of plain rules alone
    uint64_t* rows          # [slot][row]: what the lines were added up from
    CountC* counts          # [slot][shape]
    uint64_t* own           # [slot][contribution]: of elements with dependents
    int32_t* top            # [slot of the left element]: score of the best attachment of a pair, or more than that
    int32_t* pick           # [slot]: its column; -1: not known, `top` is only a bound
    int32_t* block_top      # of BLOCK pairs
    int32_t n_slots
    int32_t n_tops          # numbers of `top` that are read: a multiple of 16
    int32_t n_blocks
    bint lost               # the rows of the sentence are gone, only their sums are left
    uint64_t* values        # shares of an element; keys of a shape
    uint64_t* keys          # what is looked up in a step,
    const easy_bucket** homes
    uint64_t* found         # the rows
    int32_t* owners         # and what single templates belong to


cdef class EasyMemory(Memory):
    cdef ListMemoryC list
    cdef int32_t n_lines, n_rows, n_shapes, n_rich
    cdef void* memory           # owns the arrays of slots above
    cdef void* of_word_memory
    cdef size_t bytes

    # Room for a sentence of n words, all of which may be new, and for their records in of_word. Nobody may hold a
    # record or a row.
    cdef int begin_sentence(self, int32_t n) except -1 nogil
    cdef int begin_list(self, int32_t n) except -1 nogil
    cdef int reserve_slots(self, size_t slots) except -1 nogil


# What is remembered under a key, in its own bucket or the one beside it; 0: nothing.
cdef uint64_t look_up(const MemoryC* m, uint64_t key) noexcept nogil
# Puts a reference under a key, perhaps in place of another.
cdef void remember(MemoryC* m, uint64_t key, uint64_t row) noexcept nogil
# Makes room for rows: all of them are gone.
cdef void forget_rows(ListMemoryC* list) noexcept nogil
