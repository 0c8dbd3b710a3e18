# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Threads that help a core: one phase of work after the other, whose tasks they take in turn.

They are threads of Python, so that a failed allocation raises as elsewhere, and live as long as one
growth: a process that forks afterwards leaves none behind.
"""

import os
import threading

from cpython.exc cimport PyErr_CheckSignals
from cpython.pythread cimport (
    WAIT_LOCK,
    PyThread_acquire_lock,
    PyThread_allocate_lock,
    PyThread_free_lock,
    PyThread_release_lock,
)
from libc.stdlib cimport calloc, free

cdef extern from "pythread.h":
    int PyThread_acquire_lock_timed(void* lock, long long microseconds, int intr) nogil

cdef long long PATIENCE = 50000     # microseconds until a leader who waits looks for interrupts
cdef int at_work = 0                # leaders and helpers of this process; changed under the GIL


cdef void leaves_work(int n):
    global at_work
    at_work = max(at_work - n, 0)


def _forget():
    """In a process that was forked the threads of its parent are not there."""
    global at_work
    at_work = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def n_at_work():
    """Threads of this process that share in growths, for tests."""
    return at_work


class Dismissed(Exception):
    """Ends a helper whose work nobody waits for."""


cdef class Crew:
    """Helpers of one leader.

    Parameters
    ----------
    wanted : int
        Threads, the leader among them.
    cores : int
        What leaders that work at the same time share: together they have no more threads than
        this, or than the largest of them wants. There may be no helper at all.
    """

    def __cinit__(self, int wanted, int cores):
        cdef int k
        global at_work
        self.threads = []
        self.door = PyThread_allocate_lock()
        self.n_helpers = max(min(wanted, max(wanted, cores) - at_work) - 1, 0)
        self.calls = <Call*> calloc(self.n_helpers + 1, sizeof(Call))
        if self.calls == NULL or self.door == NULL:
            raise MemoryError("no memory for threads")
        self.n_calls = self.n_helpers
        for k in range(self.n_calls):
            self.calls[k].begin = PyThread_allocate_lock()
            self.calls[k].end = PyThread_allocate_lock()
            if self.calls[k].begin == NULL or self.calls[k].end == NULL:
                raise MemoryError("no memory for threads")
            PyThread_acquire_lock(self.calls[k].begin, WAIT_LOCK)
            PyThread_acquire_lock(self.calls[k].end, WAIT_LOCK)
        self.n_counted = self.n_helpers + 1
        at_work += self.n_counted

    def __dealloc__(self):
        cdef int k
        leaves_work(self.n_counted)
        if self.calls != NULL:
            for k in range(self.n_calls):
                if self.calls[k].begin != NULL:
                    PyThread_free_lock(self.calls[k].begin)
                if self.calls[k].end != NULL:
                    PyThread_free_lock(self.calls[k].end)
            free(self.calls)
        if self.door != NULL:
            PyThread_free_lock(self.door)

    def start(self, works):
        """Start the helpers, each with its work: a function of its number.

        Where the system grants fewer threads, there are fewer helpers.
        """
        for number, work in enumerate(works):
            thread = threading.Thread(target=work, args=(number,), name=f"growth-{number}",
                                      daemon=True)
            try:
                thread.start()
            except RuntimeError:
                break
            self.threads.append(thread)
        self.n_helpers = len(self.threads)

    cdef void enter(self) noexcept nogil:
        """Wait until nobody else is between `enter` and `leave`."""
        PyThread_acquire_lock(self.door, WAIT_LOCK)

    cdef void leave(self) noexcept nogil:
        PyThread_release_lock(self.door)

    cdef Py_ssize_t next_(self) noexcept nogil:
        """Number of the next task, -1 when there is none; after `enter`."""
        if self.stopped or self.next_task >= self.n_tasks:
            return -1
        self.next_task += 1
        return self.next_task - 1

    cdef Py_ssize_t take(self) noexcept nogil:
        """`next_` by itself."""
        self.enter()
        cdef Py_ssize_t task = self.next_()
        self.leave()
        return task

    cdef int attend(self) except -1 nogil:
        """End a helper whose leader does not go on."""
        self.enter()
        cdef bint stopped = self.stopped
        self.leave()
        if stopped:
            with gil:
                raise Dismissed
        return 0

    cdef void begin(self, Py_ssize_t n_tasks) noexcept nogil:
        """Call the helpers to a phase of so many tasks, in which the leader takes part himself."""
        cdef int k
        self.next_task = 0
        self.n_tasks = n_tasks
        self.busy = True
        for k in range(self.n_helpers):
            PyThread_release_lock(self.calls[k].begin)

    cdef int gather(self) except -1 nogil:
        """Raise what went wrong in one of the tasks of a phase, after `wait`."""
        if self.stopped:
            with gil:
                failure, self.failure = self.failure, None      # its traceback may lead back here
                raise failure
        return 0

    cdef void stop(self) noexcept nogil:
        """Have the helpers begin no other task; why is somebody else's to tell."""
        self.enter()
        self.stopped = True
        self.leave()

    cdef void wait(self) noexcept nogil:
        """Wait until no helper is at a task of the phase."""
        cdef int k
        for k in range(self.n_helpers):
            while not PyThread_acquire_lock_timed(self.calls[k].end, PATIENCE, 0):
                with gil:
                    try:
                        PyErr_CheckSignals()
                    except BaseException as error:
                        self.fail(error)
        self.busy = False

    cdef bint called(self, int number) noexcept nogil:
        """Wait for the next phase; False when there is none."""
        PyThread_acquire_lock(self.calls[number].begin, WAIT_LOCK)
        return not self.over

    cdef void finished(self, int number) noexcept nogil:
        PyThread_release_lock(self.calls[number].end)

    cdef object fail(self, error):
        """End the work of all, for this reason if there was none before."""
        with nogil:
            self.enter()
        if not self.stopped:
            self.failure = error
        self.stopped = True
        self.leave()

    cdef object end(self):
        """Send the helpers home; whether the work was done or not."""
        cdef int k
        if self.busy:
            self.fail(Dismissed())
            with nogil:
                self.wait()
        self.over = True
        for k in range(self.n_helpers):
            PyThread_release_lock(self.calls[k].begin)
        for thread in self.threads:
            thread.join()
        leaves_work(self.n_counted)
        self.n_counted = 0
        self.threads = []
        self.failure = None
