"""A seeded generator for the cores: splitmix64 (Steele, Lea and Flood 2014)."""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    /* Whole numbers below n, by the upper half of a product (Lemire 2019, without rejection:
       the bias is below n / 2^64). */
    static inline uint64_t hedgerow_below(uint64_t bits, uint64_t n)
    {
        return (uint64_t)(((unsigned __int128)bits * n) >> 64);
    }
    """
    uint64_t hedgerow_below(uint64_t bits, uint64_t n) noexcept nogil


cdef inline uint64_t mix(uint64_t z) noexcept nogil:
    """Scatter the bits of a number; a permutation of the 64-bit numbers."""
    z = (z ^ (z >> 30)) * <uint64_t> 0xBF58476D1CE4E5B9
    z = (z ^ (z >> 27)) * <uint64_t> 0x94D049BB133111EB
    return z ^ (z >> 31)


cdef inline uint64_t next_u64(uint64_t* state) noexcept nogil:
    """The next 64 random bits."""
    state[0] += <uint64_t> 0x9E3779B97F4A7C15
    return mix(state[0])


cdef inline uint64_t below(uint64_t* state, uint64_t n) noexcept nogil:
    """A random whole number of 0 .. n - 1."""
    return hedgerow_below(next_u64(state), n)
