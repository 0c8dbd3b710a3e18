"""exp, log, pow, atan and erfc with the same bits on every machine; see `_elementary.h`."""

cdef extern from "_elementary.h":
    double hedgerow_exp(double x) noexcept nogil
    double hedgerow_log(double x) noexcept nogil
    double hedgerow_pow(double x, double y) noexcept nogil
    double hedgerow_atan(double x) noexcept nogil
    double hedgerow_erfc(double x) noexcept nogil
