# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Faults on purpose: `make test-asan` looks first whether each of them is found."""

from hedgerow.tree._arena cimport Arena


def read_beyond(const double[::1] values):
    """One number behind an array of numpy's."""
    return values[values.shape[0]]


def write_beyond(int n):
    """One number behind a block of an arena, as all memory of the cores is."""
    cdef Arena memory = Arena()
    cdef int* block = <int*> memory.take(n, sizeof(int))
    block[n] = 0


def read_after_resizing(int n):
    """A block that was moved."""
    cdef Arena memory = Arena()
    cdef double* block = <double*> memory.zeros(n, sizeof(double))
    memory.resized(block, 100 * n, sizeof(double))
    return block[0]


def add(int a, int b):
    """A sum that `int` does not hold."""
    return a + b


def shift(int n):
    """More bits than there are."""
    return 1 << n


def cast(double x):
    """A number that `int` does not hold."""
    return <int> x
