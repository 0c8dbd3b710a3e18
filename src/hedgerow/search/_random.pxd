"""Seeded random numbers of the searches: splitmix64, the same on every machine.

The state is one 64-bit number that its owner keeps; a seed is a first state.  Source: Steele, Lea
and Flood (2014), Fast splittable pseudorandom number generators.
"""

from libc.stdint cimport uint64_t


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    """The bits of a number, scattered: a permutation of the 64-bit numbers."""
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9ULL
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EBULL
    return z ^ (z >> 31)


cdef inline uint64_t next_u64(uint64_t* state) noexcept nogil:
    """64 random bits."""
    state[0] += <uint64_t> 0x9E3779B97F4A7C15ULL
    return mix(state[0])


cdef inline uint64_t below(uint64_t* state, uint64_t n) noexcept nogil:
    """A whole number of 0 .. n - 1 (n > 0): the upper 64 bits of 64 random bits times n.

    Numbers differ in probability by less than n / 2^64.
    """
    cdef uint64_t r = next_u64(state), mask = 0xFFFFFFFF
    cdef uint64_t low = (r & mask) * (n & mask), cross = (r >> 32) * (n & mask)
    cdef uint64_t other = (r & mask) * (n >> 32) + (low >> 32) + (cross & mask)
    return (r >> 32) * (n >> 32) + (cross >> 32) + (other >> 32)


cdef inline double uniform(uint64_t* state) noexcept nogil:
    """A number of [0, 1): 53 random bits."""
    return <double> (next_u64(state) >> 11) * (1.0 / 9007199254740992.0)
