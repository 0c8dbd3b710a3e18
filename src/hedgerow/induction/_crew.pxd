"""Threads that help a core: one phase of work after the other, whose tasks they take in turn."""


cdef struct Call:
    # Locks of the interpreter, which need no interpreter lock; both are held while nothing is up.
    void* begin             # let go by the leader when a phase begins
    void* end               # let go by the helper when it found no task any more


cdef class Crew:
    # Invariant: between `begin` and `wait` helpers touch what the leader laid out for the phase,
    # at all other times nothing.
    cdef readonly int n_helpers
    cdef int n_calls
    cdef Call* calls
    cdef void* door                 # held by the one who reads or writes what follows
    cdef Py_ssize_t next_task, n_tasks
    cdef bint stopped, over
    cdef bint busy                  # read by the leader alone
    cdef object failure             # what the first of those who failed raised
    cdef list threads
    cdef int n_counted              # threads, in what the process counts

    cdef void enter(self) noexcept nogil
    cdef void leave(self) noexcept nogil
    cdef Py_ssize_t next_(self) noexcept nogil
    cdef Py_ssize_t take(self) noexcept nogil
    cdef int attend(self) except -1 nogil
    cdef void begin(self, Py_ssize_t n_tasks) noexcept nogil
    cdef int gather(self) except -1 nogil
    cdef void stop(self) noexcept nogil
    cdef void wait(self) noexcept nogil
    cdef bint called(self, int number) noexcept nogil
    cdef void finished(self, int number) noexcept nogil
    cdef object fail(self, error)
    cdef object end(self)
