"""Working memory of a session; see scratch.pxd."""

from libc.stddef cimport size_t
from libc.stdint cimport int16_t, int32_t, uint32_t, uint64_t
from libc.stdlib cimport free

from parser.common cimport ARCSPEED_IS_CHECKED
from parser.compiled.flat cimport KERNEL_BEYOND, KERNEL_KEYS, KERNEL_LOCALS, Flat, kernel_work
from parser.compiled.memory cimport KERNEL_HEAD, Memory, aligned, has_room_for
from parser.compiled.programs cimport Programs
from parser.transition.state cimport state_bytes


cdef class Scratch:
    def __cinit__(self):
        self.lanes, self.keys = NULL, NULL
        self.n_busy = self.n_keys = 0

    def __init__(self, Memory memory not None, Flat flat not None, int32_t width, int32_t n_features):
        """width: of a mask; n_features: of a state, at most."""
        cdef size_t n = flat.all_lookups + 2 * KERNEL_KEYS     # whole blocks are written
        cdef kernel_work* work
        cdef int32_t i
        self.memory, self.m, self.programs = memory, &memory.c, Programs(flat)
        self.programs.write_code(self.m.kernels.coder)
        self.n_lanes = min(max(ROWS_AT_HAND // max(flat.all_lookups, 1), FEWEST), LANES)
        self.lanes = <LaneC*>aligned(LANES * sizeof(LaneC))
        for i in range(LANES):
            self.busy[i] = &self.lanes[i]
            work = &self.lanes[i].work
            work.values = <uint64_t*>aligned((flat.all_locals + KERNEL_KEYS) * sizeof(uint64_t))    # read by eights
            work.scene.record[KERNEL_LOCALS] = work.values
            work.told, work.home = <uint64_t*>aligned(n * sizeof(uint64_t)), <uint64_t*>aligned(n * sizeof(uint64_t))
            work.rows = <uint32_t*>aligned(n * sizeof(uint32_t))
            work.asked = <uint64_t*>aligned(2 * n * sizeof(uint64_t))
            work.head = <int16_t*>aligned(KERNEL_HEAD * sizeof(int16_t))
            work.near, work.far = <uint32_t*>aligned(n * sizeof(uint32_t)), <uint32_t*>aligned(n * sizeof(uint32_t))
            work.unknown = <int32_t*>aligned(n * sizeof(int32_t))
            work.features = <uint64_t*>aligned((n_features + 1) * sizeof(uint64_t))
            self.lanes[i].legal = <int16_t*>aligned(width * sizeof(int16_t))

    def __dealloc__(self):
        cdef kernel_work* work
        cdef int32_t i
        for i in range(LANES if self.lanes != NULL else 0):
            work = &self.lanes[i].work
            for memory in (<size_t>work.values, <size_t>work.told, <size_t>work.home, <size_t>work.rows,
                           <size_t>work.asked, <size_t>work.unknown, <size_t>work.features, <size_t>work.head,
                           <size_t>work.near, <size_t>work.far, <size_t>self.lanes[i].legal):
                free(<void*><size_t>memory)
            free_words(&self.lanes[i])
        free(self.lanes)
        free(self.keys)

    def counts(self):
        """What the memory did so far."""
        return self.memory.counts()

    cdef LaneC* begin(self, int32_t n) except NULL nogil:
        cdef LaneC* lane = self.busy[self.n_busy]
        if self.n_busy == 0:
            self.memory.make_room(n)
            if self.programs.is_full():
                self.programs.forget()
        reserve_words(lane, n)
        (lane.work.of_word - 1)[0], lane.work.of_word[0] = self.m.none, self.m.root
        return lane

    cdef uint64_t* room_for_keys(self, int32_t n) except NULL nogil:
        if n > self.n_keys or self.keys == NULL:
            free(self.keys)
            self.keys = NULL
            with gil:
                self.keys = <uint64_t*>aligned((<size_t>n + n // 2) * sizeof(uint64_t))
            self.n_keys = n + n // 2
        return self.keys

    cdef bint has_room(self, int32_t n) noexcept nogil:
        return self.n_busy < self.n_lanes and has_room_for(self.m, n) and not self.programs.is_full()

    cdef void occupy(self) noexcept nogil:
        self.n_busy += 1

    cdef void leave(self, int32_t i) noexcept nogil:
        self.n_busy -= 1
        self.busy[i], self.busy[self.n_busy] = self.busy[self.n_busy], self.busy[i]

    cdef void leave_all(self) noexcept nogil:
        self.n_busy = 0


cdef int reserve_words(LaneC* lane, int32_t n) except -1 nogil:
    # in checked builds the sanitizer is to see the first byte too far
    cdef int32_t room = n if ARCSPEED_IS_CHECKED else n + n // 2
    if n <= lane.room and lane.state != NULL:
        return 0
    free_words(lane)
    with gil:
        lane.state = <StateC*>aligned(state_bytes(room))
        lane.work.of_word = <uint64_t**>aligned((<size_t>room + 2) * sizeof(void*)) + 1
        lane.work.waiting = <int32_t*>aligned((<size_t>room + 2 + KERNEL_BEYOND) * sizeof(int32_t))
    lane.room = room
    return 0


cdef void free_words(LaneC* lane) noexcept nogil:
    free(lane.state)
    free(lane.work.waiting)
    if lane.work.of_word != NULL:
        free(lane.work.of_word - 1)
    lane.state, lane.work.of_word, lane.work.waiting, lane.room = NULL, NULL, NULL, 0
