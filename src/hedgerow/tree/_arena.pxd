"""Memory of the compiled cores: every block belongs to an arena and goes with it."""


cdef struct Block:
    # What stands before each block; as long as memory is aligned, so that the block is too.
    Block* next                 # ring of the arena's blocks, through its head
    Block* previous
    Py_ssize_t size             # bytes behind this header
    Py_ssize_t unused


cdef class Arena:
    # Invariant: the ring holds every block that was taken and not given back, each once.
    cdef Block head
    cdef object purpose
    cdef readonly Py_ssize_t n_blocks       # in the ring
    cdef readonly Py_ssize_t n_bytes        # in them, headers left out

    cdef void* take(self, Py_ssize_t n, Py_ssize_t size) except NULL nogil
    cdef void* zeros(self, Py_ssize_t n, Py_ssize_t size) except NULL nogil
    cdef void* resized(self, void* block, Py_ssize_t n, Py_ssize_t size) except NULL nogil
    cdef void give_back(self, void* block) noexcept nogil


cdef inline double* carved(double** room, Py_ssize_t n) noexcept nogil:
    """The next n numbers of a block that several arrays share; moves `room` behind them."""
    cdef double* here = room[0]
    room[0] += n
    return here
