"""The share of an instance that a node's test sends left, for every kind of gate.

Growth, pruning and prediction all ask this file, so that no two of them can disagree.
Invariant: 0 <= share <= 1, and what does not go left goes right.
"""

from libc.math cimport isnan

cdef extern from "_normal.h":
    void hedgerow_phi_fill() noexcept nogil
    double hedgerow_phi(double t) noexcept nogil
    void hedgerow_phi_expand(double t, double* c) noexcept nogil

cdef extern from *:
    """
    /* Distances within this of the clip belong to it, so that a value that lies on the grid (the
       smallest one always does) is treated alike whatever its rounding.  In units of sigma. */
    #define HEDGEROW_CLIP_TOLERANCE 1e-9
    /* Share of an instance below which soft training propagation drops it (methods). */
    #define HEDGEROW_DROPPED 1e-3
    """
    const double CLIP_TOLERANCE "HEDGEROW_CLIP_TOLERANCE"
    const double DROPPED "HEDGEROW_DROPPED"


cdef inline double normal_gate(double x, double center, double sigma, double half_window) noexcept nogil:
    """Thesis, equation 3.9: Phi((center - x) / sigma), 0 and 1 from half_window sigma on."""
    cdef double t = (center - x) / sigma
    if t >= half_window - CLIP_TOLERANCE:
        return 1.0
    if t <= -half_window + CLIP_TOLERANCE:
        return 0.0
    return hedgerow_phi(t)


cdef inline double pdf_mass(double x, double t, double sigma, double half) noexcept nogil:
    """Normal CDF at t of a value x, constant beyond `half` sigma: up to a constant and a factor,
    the CDF of the truncated pdf of UDT."""
    cdef double z = (t - x) / sigma
    return hedgerow_phi(half if z > half else (-half if z < -half else z))


cdef inline double pdf_gate(double x, double threshold, double lower, double upper, double sigma,
                            double half) noexcept nogil:
    """UDT: share of the value's pdf left of the threshold, given that it lies between lower and
    upper, where the tests above put it.  A step where they left it no mass."""
    cdef double below = pdf_mass(x, lower, sigma, half)
    cdef double mass = pdf_mass(x, upper, sigma, half) - below
    cdef double left = pdf_mass(x, threshold, sigma, half) - below
    if mass <= 0.0:
        return 1.0 if x < threshold else 0.0
    if left <= 0.0:
        return 0.0
    return left / mass if left < mass else 1.0


cdef inline double linear_gate(double x, double lower, double threshold,
                               double upper) noexcept nogil:
    """PLT: 1 up to lower, .5 at the threshold, 0 from upper on, linear in between."""
    if x < lower:
        return 1.0
    if x >= upper:
        return 0.0
    if x < threshold:
        return 1.0 - 0.5 * (x - lower) / (threshold - lower)
    return 0.5 * (upper - x) / (upper - threshold)


cdef inline double step_gate(double x, double threshold) noexcept nogil:
    """Thesis, equation 2.1: at the threshold or above goes right."""
    return 1.0 if x < threshold else 0.0


cdef inline double subset_gate(double x, const unsigned char* categories_left,
                               Py_ssize_t n_categories, double share_left) noexcept nogil:
    """Left when the category is in the left subset; one never seen goes to the heavier side."""
    cdef Py_ssize_t code
    if x >= 0 and x < n_categories:
        code = <Py_ssize_t> x
        return 1.0 if categories_left[code] else 0.0
    return 1.0 if share_left >= 0.5 else 0.0


cdef inline double kept_left(double left, double weight, double instance) noexcept nogil:
    """What goes left of `weight` once less than a thousandth of the instance is dropped.

    The other side takes what is dropped; where both sides are that small, the larger one.
    """
    cdef double right = weight - left, least = DROPPED * instance
    if left < least or right < least:
        return weight if left > right else 0.0
    return left
