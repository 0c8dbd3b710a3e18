/* Vector loops of the search: scores of many candidate thresholds at once, and the smoothing of
   one measurement over the grid.  Plain C so that the compiler turns them into vector code; no
   contraction to fused operations (see meson.build), so that every machine gets the same bits. */
#ifndef HEDGEROW_KERNELS_H
#define HEDGEROW_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tree/_normal.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define HEDGEROW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define HEDGEROW_CLONES
#endif

/* log2 x for finite x > 0, -1022.5 at 0; error below 4e-16 (|log2 x| + 1).
   The mantissa m in [1, 2) is taken about sqrt 2: log2 m = 1/2 + 2/ln 2 atanh((m-r)/(m+r)). */
static inline double hedgerow_log2(double x)
{
    const double root = 1.41421356237309504880;
    const double scale = 2.88539008177792681472; /* 2 / ln 2 */
    uint64_t bits, high;
    double mantissa, exponent, s, s2, p;
    memcpy(&bits, &x, sizeof bits);
    high = (bits >> 52) | UINT64_C(0x4330000000000000);
    bits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    memcpy(&mantissa, &bits, sizeof mantissa);
    memcpy(&exponent, &high, sizeof exponent);
    exponent -= 4503599627370496.0 + 1023.0;
    s = (mantissa - root) / (mantissa + root);
    s2 = s * s;
    p = 1.0 / 19.0;
    p = p * s2 + 1.0 / 17.0;
    p = p * s2 + 1.0 / 15.0;
    p = p * s2 + 1.0 / 13.0;
    p = p * s2 + 1.0 / 11.0;
    p = p * s2 + 1.0 / 9.0;
    p = p * s2 + 1.0 / 7.0;
    p = p * s2 + 1.0 / 5.0;
    p = p * s2 + 1.0 / 3.0;
    p = p * s2 + 1.0;
    return exponent + 0.5 + scale * s * p;
}

/* x log2 x, 0 at 0. */
static inline double hedgerow_xlog2x(double x)
{
    return x * hedgerow_log2(x);
}

/* sum[k] = sum_c left_ck.  left: n_classes rows of `stride`. */
HEDGEROW_CLONES
static void hedgerow_sum(const double *left, ptrdiff_t stride, int n_classes, ptrdiff_t n,
                         double *restrict sum)
{
    ptrdiff_t k;
    int c;
    for (k = 0; k < n; k++) {
        sum[k] = left[k];
    }
    for (c = 1; c < n_classes; c++) {
        const double *row = left + c * stride;
        for (k = 0; k < n; k++) {
            sum[k] += row[k];
        }
    }
}

/* h[k] = f(l_k) + f(t - l_k), f(x) = x log2 x; what rounding left below 0 counts as 0. */
HEDGEROW_CLONES
static void hedgerow_two_sided(const double *restrict left, double total, ptrdiff_t n,
                               double *restrict h)
{
    ptrdiff_t k;
    for (k = 0; k < n; k++) {
        const double l = left[k];
        double r = total - l;
        r = r > 0.0 ? r : 0.0;
        h[k] = hedgerow_xlog2x(l) + hedgerow_xlog2x(r);
    }
}

/* slope[k] = log2(l_k) - log2(t - l_k), the derivative of f(l) + f(t - l); beyond any real one,
   though finite, where a side is empty. */
HEDGEROW_CLONES
static void hedgerow_slopes(const double *restrict left, double total, ptrdiff_t n,
                            double *restrict slope)
{
    ptrdiff_t k;
    for (k = 0; k < n; k++) {
        const double l = left[k] > 0.0 ? left[k] : 0.0;
        double r = total - l;
        r = r > 0.0 ? r : 0.0;
        slope[k] = hedgerow_log2(l) - hedgerow_log2(r);
    }
}

/* score[k] = sum_c f(l_ck) + f(t_c - l_ck) - f(l_k) - f(t - l_k): the weight at the node times
   the gain is this plus f(t) - sum_c f(t_c).  sum_left: from hedgerow_sum. */
HEDGEROW_CLONES
static void hedgerow_scores(const double *left, ptrdiff_t stride, int n_classes,
                            const double *total, ptrdiff_t n, const double *restrict sum_left,
                            double *restrict score)
{
    ptrdiff_t k;
    int c;
    double sum = 0.0;
    for (k = 0; k < n; k++) {
        score[k] = 0.0;
    }
    for (c = 0; c < n_classes; c++) {
        const double *row = left + c * stride;
        const double t = total[c];
        sum += t;
        for (k = 0; k < n; k++) {
            const double l = row[k];
            double r = t - l;
            r = r > 0.0 ? r : 0.0;
            score[k] += hedgerow_xlog2x(l) + hedgerow_xlog2x(r);
        }
    }
    for (k = 0; k < n; k++) {
        const double l = sum_left[k];
        double r = sum - l;
        r = r > 0.0 ? r : 0.0;
        score[k] -= hedgerow_xlog2x(l) + hedgerow_xlog2x(r);
    }
}

/* score[k] = sum_c l_ck^2 / l_k + (t_c - l_ck)^2 / (t - l_k): the weight at the node times the
   decrease of the Gini index is this less sum_c t_c^2 / t.  Left empty, a side counts 0. */
HEDGEROW_CLONES
static void hedgerow_gini(const double *left, ptrdiff_t stride, int n_classes,
                          const double *total, ptrdiff_t n, const double *restrict sum_left,
                          double *restrict score)
{
    enum { SOME = 64 };
    double squares[2][SOME];
    ptrdiff_t first, k;
    int c;
    double sum = 0.0;
    for (c = 0; c < n_classes; c++) {
        sum += total[c];
    }
    for (first = 0; first < n; first += SOME) {
        const ptrdiff_t some = n - first < SOME ? n - first : SOME;
        for (k = 0; k < some; k++) {
            squares[0][k] = squares[1][k] = 0.0;
        }
        for (c = 0; c < n_classes; c++) {
            const double *row = left + c * stride + first;
            const double t = total[c];
            for (k = 0; k < some; k++) {
                const double l = row[k];
                double r = t - l;
                r = r > 0.0 ? r : 0.0;
                squares[0][k] += l * l;
                squares[1][k] += r * r;
            }
        }
        for (k = 0; k < some; k++) {
            const double l = sum_left[first + k];
            const double r = sum - l;
            score[first + k] = squares[0][k] / (l > 0.0 ? l : 1.0)
                               + squares[1][k] / (r > 0.0 ? r : 1.0);
        }
    }
}

/* out[q] += weight * (c0[q] + h c1[q] + h^2 c2[q] + h^3 c3[q]), q < n. */
HEDGEROW_CLONES
static void hedgerow_smooth(const double *restrict c, ptrdiff_t stride, double h, double weight,
                            ptrdiff_t n, double *restrict out)
{
    const double *c0 = c, *c1 = c + stride, *c2 = c + 2 * stride, *c3 = c + 3 * stride;
    ptrdiff_t q;
    for (q = 0; q < n; q++) {
        out[q] += weight * (c0[q] + h * (c1[q] + h * (c2[q] + h * c3[q])));
    }
}

/* The same from one row of tabulated values: any noise model. */
HEDGEROW_CLONES
static void hedgerow_add(const double *restrict row, double weight, ptrdiff_t n,
                         double *restrict out)
{
    ptrdiff_t q;
    for (q = 0; q < n; q++) {
        out[q] += weight * row[q];
    }
}

#endif
