"""The share of an instance that a node's test sends left: one struct, one function.

Growth, pruning and prediction all ask `share_left`, so that no two of them can disagree.
Invariant: 0 <= share <= 1, and what does not go left goes right.
"""

from libc.math cimport M_PI, fabs, isnan, sqrt

from hedgerow.tree._arena cimport Arena
from hedgerow.tree._elementary cimport hedgerow_atan, hedgerow_erfc, hedgerow_exp

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

cdef enum:
    # Kinds of gates, hard ones first; those of tests on categories are SUBSET and CATEGORY.
    STEP                        # thesis, equation 2.1: at the threshold or above goes right
    SUBSET                      # left when the category is in the left subset
    NORMAL                      # thesis, equation 3.9: CDF of normal noise about the value
    PDF                         # UDT: CDF of the value's pdf, given the tests above
    LINEAR                      # PLT: falls from 1 to 0 between two bounds about the threshold
    MODEL                       # as NORMAL, of a noise model that the core knows
    ASKED                       # the share was asked of Python beforehand
    CATEGORY                    # chance that the true category is in the left subset

cdef enum:
    # Families of noise models that the core knows, in the order of `hedgerow.tree.gates`.
    NORMAL_FAMILY
    UNIFORM_FAMILY
    LAPLACE_FAMILY
    STUDENT_T_3_FAMILY


cdef struct Gate:
    # How one variable is divided at tests; `kind` says which of the other fields are read.
    int kind
    double sigma                # NORMAL, PDF, MODEL: scale of the noise, unit of the variable ...
    double half_window          # ... and where it is cut on either side, in units of sigma
    double center               # MODEL: centre of the noise, about which it is cut
    double loc, scale           # MODEL: as scipy.stats takes them, in the unit of sigma
    int family                  # MODEL
    bint relative               # MODEL: the noise is a share of |x|, as are all lengths above
    bint ties_right             # MODEL, ASKED: a value on the centre goes right whole
    double tie                  # NORMAL: share of a value on the centre


cdef struct Test:
    # One test of a tree and what the gate there reads; borrowed pointers, nothing owned.
    double threshold            # unit of the variable; NaN at tests on categories
    double center               # NORMAL, MODEL, ASKED: centre of the gate, same unit
    double lower, upper         # PDF, ASKED: interval that the tests above left of the variable, maybe
                                # infinite; LINEAR: where the share leaves 1 and reaches 0
    double share_left           # of the known weight: the share of a missing value
    Py_ssize_t n_categories
    const unsigned char* categories_left    # SUBSET: n_categories flags
    const double* category_share            # CATEGORY: share left by the observed category
    const double* asked                     # ASKED: shares by place of the instance


cdef class Gates:
    cdef Arena memory
    cdef Gate* numbers                  # of each variable, at tests on its values ...
    cdef Gate* categories               # ... and at tests on its categories
    cdef readonly Py_ssize_t n_variables
    cdef readonly bint soft             # some gate can divide an instance
    cdef readonly bint conditioned      # some gate reads what the tests above left
    cdef readonly bint asking           # some gate is ASKED
    cdef readonly tuple bounds          # of LINEAR gates: lower and upper by node; else None
    cdef readonly object gate           # as it was given
    cdef dict models                    # of ASKED gates: variable -> callable(center, x)

    cdef int check_grows(self) except -1
    cdef int ask(self, Py_ssize_t j, double center, const double* x, Py_ssize_t x_step,
                 const int* rows, Py_ssize_t n, double* out) except -1 with gil
    cdef object at_node(self, Py_ssize_t j, const Test* test, column)


cdef inline double step_gate(double x, double threshold) noexcept nogil:
    return 1.0 if x < threshold else 0.0


cdef inline double subset_gate(double x, const unsigned char* categories_left,
                               Py_ssize_t n_categories, double share_left) noexcept nogil:
    """A category never seen goes to the heavier side."""
    if x >= 0 and x < n_categories:
        return 1.0 if categories_left[<Py_ssize_t> x] else 0.0
    return 1.0 if share_left >= 0.5 else 0.0


cdef inline double category_gate(double x, const double* category_share, Py_ssize_t n_categories,
                                 double share_left) noexcept nogil:
    """A category never seen says nothing of the true one: as in `subset_gate`."""
    if x >= 0 and x < n_categories:
        return category_share[<Py_ssize_t> x]
    return 1.0 if share_left >= 0.5 else 0.0


cdef inline double normal_gate(double x, double center, double sigma,
                               double half_window) noexcept nogil:
    """Phi((center - x) / sigma), 0 and 1 from half_window sigma on."""
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
    """Share of the value's pdf left of the threshold, given that it lies between lower and upper,
    where the tests above put it.  A step where they left it no mass."""
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
    """.5 at the threshold, else 1 up to lower, 0 from upper on, linear in between."""
    # The threshold first: a bound that lies on it takes nothing from its half.
    if x == threshold:
        return 0.5
    if x < threshold:
        return 1.0 - 0.5 * (x - lower) / (threshold - lower) if x > lower else 1.0
    return 0.5 * (upper - x) / (upper - threshold) if x < upper else 0.0


cdef inline double model_cdf(const Gate* gate, double d) noexcept nogil:
    """P(error <= d) in closed form."""
    cdef double t = (d - gate.loc) / gate.scale
    if gate.family == UNIFORM_FAMILY:
        return 0.0 if t <= 0.0 else 1.0 if t >= 1.0 else t
    if gate.family == LAPLACE_FAMILY:
        return 0.5 * hedgerow_exp(t) if t < 0.0 else 1.0 - 0.5 * hedgerow_exp(-t)
    if gate.family == STUDENT_T_3_FAMILY:
        t /= sqrt(3.0)
        return 0.5 + (t / (1.0 + t * t) + hedgerow_atan(t)) / M_PI
    return 0.5 * hedgerow_erfc(-t / sqrt(2.0))


cdef inline double model_gate(const Gate* gate, double x, double center) noexcept nogil:
    """`NoiseGate.share` in the core; it is the reference, and equal within rounding."""
    cdef double d = center - x, from_center, edge
    if gate.relative:
        if x == 0.0:
            return 1.0 if d > 0.0 else 0.0
        d /= fabs(x)
    from_center = d - gate.center
    edge = (gate.half_window - CLIP_TOLERANCE) * gate.sigma
    if from_center >= edge:
        return 1.0
    if from_center <= -edge:
        return 0.0
    return model_cdf(gate, d)


cdef inline double soft_share(const Gate* gate, const Test* test, double x,
                              Py_ssize_t instance) noexcept nogil:
    """`share_left` of a known value at a gate that is not hard."""
    if gate.kind == NORMAL:
        if x == test.center:
            return gate.tie
        return normal_gate(x, test.center, gate.sigma, gate.half_window)
    if gate.kind == PDF:
        return pdf_gate(x, test.threshold, test.lower, test.upper, gate.sigma, gate.half_window)
    if gate.kind == LINEAR:
        return linear_gate(x, test.lower, test.threshold, test.upper)
    if gate.ties_right and x == test.center:
        return 0.0
    if gate.kind == MODEL:
        return model_gate(gate, x, test.center)
    if gate.kind == ASKED:
        return test.asked[instance]
    # CATEGORY
    return category_gate(x, test.category_share, test.n_categories, test.share_left)


cdef inline bint is_soft(const Gate* gate) noexcept nogil:
    """Whether it can divide an instance whose value is known."""
    return gate.kind > SUBSET


cdef inline double share_left(const Gate* gate, const Test* test, double x,
                              Py_ssize_t instance) noexcept nogil:
    """Share of an instance that goes left.

    x: its value, NaN where it is missing; instance: its place in `test.asked`.
    """
    if isnan(x):
        return test.share_left
    if gate.kind == STEP:
        return step_gate(x, test.threshold)
    if gate.kind == SUBSET:
        return subset_gate(x, test.categories_left, test.n_categories, test.share_left)
    return soft_share(gate, test, x, instance)


cdef inline void narrow(double threshold, bint is_left, double* lower,
                        double* upper) noexcept nogil:
    """What a test leaves of the interval of its variable on the branch `is_left`.

    A test on categories, whose threshold is NaN, leaves all of it.
    """
    if is_left:
        if threshold < upper[0]:
            upper[0] = threshold
    elif threshold > lower[0]:
        lower[0] = threshold


cdef inline double kept_left(double left, double weight, double instance) noexcept nogil:
    """What goes left of `weight` once less than a thousandth of the instance is dropped.

    The other side takes what is dropped; where both sides are that small, the larger one.
    """
    cdef double right = weight - left, least = DROPPED * instance
    if left < least or right < least:
        return weight if left > right else 0.0
    return left
