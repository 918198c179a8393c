"""What a session remembers of easy-first: beside words and sums, the rows of the elements of the lists at hand.

Sentences are parsed side by side, each in a lane of its own, a step of each at a time: what is asked of memory for one
is on its way while others are worked on.

An element is named by its *slot*: word i has slot i + PADS. Slots 0 and 1 stand for the missing neighbours before the
list, two more for those behind it.
"""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint16_t, uint32_t, uint64_t

from parser.compiled.memory cimport Memory, MemoryC, kernel_places
from parser.search.base cimport ResultC
from parser.transition.list_state cimport ListC

cdef enum:
    PADS = 2
    LANES = 3
    AT_ONCE = 6             # pairs of a lane that are looked at together
    SEEN = 11               # elements that these see
    BLOCK = 256             # pairs of which the best is known
    NO_PAIR = -0x7FFFFFFF   # below every score
    NO_SLOT = -1


cdef extern from "parser/compiled/easy_kernel.h":
    enum:
        EASY_LANES
        EASY_SIZE
        EASY_MOVES
        EASY_PRESENT
        EASY_TAIL
        EASY_LINE
        EASY_WAYS
        EASY_SPARE
        EASY_EIGHT
        EASY_SHARES
        EASY_PART
        EASY_ROLE
        N_EASY_KERNELS
    uint64_t EASY_WIDE
    uint64_t EASY_DENSE
    ctypedef struct easy_bucket:
        uint64_t key[4]
        uint64_t row[4]
    ctypedef struct easy_line:
        int32_t place
        int32_t line
        int32_t row
        int32_t shape
        uint64_t present
        uint64_t shift[2]
    ctypedef struct easy_count:
        uint16_t plain
        uint16_t all
    ctypedef struct easy_pair:
        const uint64_t* rows[6]
        const easy_count* counts[6]
        const char* arena
        uint64_t* source
        uint64_t* wide
        int32_t n
        int32_t n_wide
    ctypedef struct easy_asks:
        uint64_t seed[8]
        uint64_t sum[8]
        int32_t owner[8]
        int32_t n
        int32_t need
    ctypedef struct easy_keys:
        const uint64_t* seed
        const easy_asks* asks
        int32_t n
        int32_t n_kept
        int32_t first_key
        int32_t n_asks
    ctypedef struct easy_part:
        const easy_keys* keys
        const uint64_t* known
        easy_count* count
        uint64_t* rows
        const easy_asks* ask[2]
        uint64_t more
        void* list
        int32_t first_share
        int32_t n_shares
        int32_t n
        int32_t n_single
        int32_t first_key
        int32_t place
        int32_t slot
        int32_t shape
        int32_t plain
    ctypedef struct easy_step:
        easy_part* part
        const uint64_t** share
        uint64_t* key
        uint64_t* row
        const easy_bucket** home
        int32_t* owner
        uint64_t* asked
        int32_t* asked_owner
        uint64_t* sum
        int32_t n_parts
        int32_t n_shares
        int32_t n
        int32_t n_asked
    const easy_asks easy_no_asks
    const uint64_t* easy_no_share
    int32_t easy_nth(int32_t line) noexcept nogil
    int32_t easy_lowest_bit(uint64_t bits) noexcept nogil
    easy_bucket* easy_home(const kernel_places* places, uint64_t key) noexcept nogil
    ctypedef struct easy_kernel:
        const char* name
        void (*ask)(easy_step* step) noexcept nogil
        void (*hand_out)(easy_step* step, const char* arena) noexcept nogil
        void (*gather)(easy_pair* pair, const easy_line* line, int32_t n_lines) noexcept nogil
        int32_t (*best)(const int16_t* bias, const easy_pair* pair, const int16_t* mask, const int16_t* rank,
                        int16_t* out, int32_t* top) noexcept nogil
        void (*more)(int16_t* out, const char* at, int32_t n, int32_t wide) noexcept nogil
        int32_t (*largest)(const int32_t* number, int32_t n) noexcept nogil
        int32_t (*look_up)(const easy_bucket* first, const easy_bucket** bucket, const uint64_t* key, int32_t n,
                           uint64_t* row) noexcept nogil
    const easy_kernel* easy_kernels


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


cdef struct ListMemoryC:    # a lane
    MemoryC* m
    ListC* s                # the list at hand
    ResultC out
    int32_t pairs[8]        # that are to be scored, one after the other in the list,
    int32_t n_pairs         # at most 7
    int32_t window[SEEN]    # the elements that they see, but for a pair that cannot be attached;
    uint32_t stale[SEEN]    # shapes that are to be made of them,
    uint32_t plain[SEEN]    # and of which plain rules, too;
    int32_t n_scored        # and how many see them
    int32_t next            # the first that has not been scored since the sentence began; NO_SLOT: all have
    uint64_t** of_word      # the records of the sentence's words; [-1] that of the missing one
    int32_t n_of_word
    ElementC* element       # [slot]
    uint64_t* rows          # [slot][row]: what pairs add up of an element
    easy_count* counts      # [slot][shape]
    uint64_t* own           # [slot][contribution]: of elements with dependents
    int32_t* top            # [slot of the left element]: score of the best attachment of a pair, or more than that
    int32_t* pick           # [slot]: its column; -1: not known, `top` is only a bound
    int32_t* block_top      # of BLOCK pairs
    int32_t n_slots
    int32_t n_tops          # numbers of `top` that are read: a multiple of 16
    int32_t n_blocks
    bint lost               # rows of the sentence are gone
    easy_pair pair[AT_ONCE]     # room for the lines of those that are looked at together
    uint64_t* values        # shares of an element
    void* memory            # owns the arrays of slots above
    void* of_word_memory
    size_t bytes


cdef class EasyMemory(Memory):
    cdef ListMemoryC* lanes         # [LANES]
    cdef ListMemoryC* busy[LANES]   # the first n_busy; the others are free
    cdef int32_t n_busy
    cdef easy_step step             # of all lanes
    cdef int32_t n_rows, n_shapes, n_rich

    # A free lane for a sentence of n words, whose records are to be put into of_word. If none is busy, words and rows
    # may be forgotten; else has_room must have said that they need not.
    cdef ListMemoryC* begin(self, int32_t n) except NULL nogil
    cdef bint has_room(self, int32_t n) noexcept nogil
    # Its list, of which everything is to be made.
    cdef int begin_list(self, ListMemoryC* list, int32_t n) except -1 nogil
    cdef int reserve_slots(self, ListMemoryC* list, size_t slots) except -1 nogil
    # The lane that has been begun is busy,
    cdef void occupy(self) noexcept nogil
    # and the i-th that is busy, or all, are free again.
    cdef void leave(self, int32_t i) noexcept nogil
    cdef void leave_all(self) noexcept nogil
    # Makes room for rows: all of them are gone.
    cdef void forget_rows(self) noexcept nogil


# What is remembered under a key, in its own bucket or the one beside it; 0: nothing.
cdef uint64_t look_up(const MemoryC* m, uint64_t key) noexcept nogil
# Puts a reference under a key, perhaps in place of another.
cdef void remember(MemoryC* m, uint64_t key, uint64_t row) noexcept nogil
