"""Noise models that the core works out by itself, without asking Python for every node.

They are the families that `hedgerow.tree.gates.NoiseGate.callables` describes by numbers; every
other model is a Python callable.  Both cut alike, and the Python side is their reference.
"""

from libc.math cimport M_PI, atan, erfc, exp, fabs, sqrt

from hedgerow.tree._gates cimport CLIP_TOLERANCE


cdef struct Model:
    int kind                    # NORMAL, UNIFORM, LAPLACE or STUDENT_T_3
    bint relative               # the error is a share of |x|, and so are the scales below
    double loc, scale           # as scipy.stats takes them; unit of the variable, or share of |x|
    double sigma, center        # scale and centre of the error, same unit
    double half_window          # in units of sigma

cdef enum:
    NORMAL
    UNIFORM
    LAPLACE
    STUDENT_T_3


cdef inline void read_model(tuple numbers, Model* model):
    """From the tuple of `NoiseGate.callables`."""
    model.kind, model.relative, model.loc, model.scale = numbers[:4]
    model.sigma, model.center, model.half_window = numbers[4:]


cdef inline double model_cdf(const Model* model, double d) noexcept nogil:
    """P(error <= d) in closed form."""
    cdef double t = (d - model.loc) / model.scale
    if model.kind == UNIFORM:
        return 0.0 if t <= 0.0 else 1.0 if t >= 1.0 else t
    if model.kind == LAPLACE:
        return 0.5 * exp(t) if t < 0.0 else 1.0 - 0.5 * exp(-t)
    if model.kind == STUDENT_T_3:
        t /= sqrt(3.0)
        return 0.5 + (t / (1.0 + t * t) + atan(t)) / M_PI
    return 0.5 * erfc(-t / sqrt(2.0))


cdef inline double model_gate(const Model* model, double x, double center) noexcept nogil:
    """Thesis, equation 3.9, for any of these models: `NoiseGate.share` in the core."""
    cdef double d = center - x, from_center, edge
    if model.relative:
        if x == 0.0:
            return 1.0 if d > 0.0 else 0.0
        d /= fabs(x)
    from_center = d - model.center
    edge = (model.half_window - CLIP_TOLERANCE) * model.sigma
    if from_center >= edge:
        return 1.0
    if from_center <= -edge:
        return 0.0
    return model_cdf(model, d)
