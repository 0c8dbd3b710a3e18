/* exp, log, pow, atan and the complementary error function with the same bits everywhere.

   IEEE 754 fixes the bits of sums, products, quotients and roots, and of these alone: the C
   library's functions differ in the last bit between its versions and between processors, and
   with them every number that a gate gave.  Here is nothing but those four operations, never
   contracted to fused ones (meson.build).  Errors are below one unit in the last place for exp,
   log and pow, below three for atan, and below 4e-15 of the value for erfc. */
#ifndef HEDGEROW_ELEMENTARY_H
#define HEDGEROW_ELEMENTARY_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#define HEDGEROW_LN2_HIGH 0.69314718036912381649 /* 33 bits: times a whole number exact */
#define HEDGEROW_LN2_LOW 1.9082149292705877e-10

/* 2 to a whole number, of a normal result. */
static inline double hedgerow_two_to(int64_t n)
{
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* exp(x + low), |low| far below x or both small. */
static inline double hedgerow_exp_parts(double x, double low)
{
    double n, high, r, p;
    int64_t half;
    if (x != x) {
        return x;
    }
    if (x > 709.782712893384) {
        return INFINITY;
    }
    if (x < -745.2) {
        return 0.0;
    }
    n = floor(x * 1.44269504088896340736 + 0.5);
    high = x - n * HEDGEROW_LN2_HIGH;
    low = low - n * HEDGEROW_LN2_LOW;
    r = high + low;
    low = (high - r) + low;
    p = 1.0 / 6227020800.0; /* 1 / 13! */
    p = p * r + 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = 1.0 + (r + (r * r * p + low));
    /* In two steps, since 2^n may lie beyond the normal numbers. */
    half = (int64_t)n / 2;
    return p * hedgerow_two_to(half) * hedgerow_two_to((int64_t)n - half);
}

static inline double hedgerow_exp(double x)
{
    return hedgerow_exp_parts(x, 0.0);
}

/* log x, and in `low` what rounding took from it, for finite x > 0. */
static inline double hedgerow_log_parts(double x, double *low)
{
    uint64_t bits;
    double e = 0.0, m, f, s, s2, p, high, tail, head;
    if (x < 2.2250738585072014e-308) {
        x *= 18014398509481984.0; /* 2^54 */
        e = -54.0;
    }
    memcpy(&bits, &x, sizeof bits);
    e += (double)((int64_t)(bits >> 52) - 1023);
    bits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    memcpy(&m, &bits, sizeof m);
    if (m > 1.41421356237309504880) {
        m *= 0.5;
        e += 1.0;
    }
    /* log m = 2 atanh s, s = f / (2 + f); the first term 2 s is f - s f. */
    f = m - 1.0;
    s = f / (2.0 + f);
    s2 = s * s;
    p = 2.0 / 23.0;
    p = p * s2 + 2.0 / 21.0;
    p = p * s2 + 2.0 / 19.0;
    p = p * s2 + 2.0 / 17.0;
    p = p * s2 + 2.0 / 15.0;
    p = p * s2 + 2.0 / 13.0;
    p = p * s2 + 2.0 / 11.0;
    p = p * s2 + 2.0 / 9.0;
    p = p * s2 + 2.0 / 7.0;
    p = p * s2 + 2.0 / 5.0;
    p = p * s2 + 2.0 / 3.0;
    head = e * HEDGEROW_LN2_HIGH;
    tail = e * HEDGEROW_LN2_LOW - s * (f - s2 * p);
    high = head + f;
    tail += (head - high) + f;
    head = high + tail;
    *low = (high - head) + tail;
    return head;
}

static inline double hedgerow_log(double x)
{
    double low, high;
    if (!(x > 0.0 && x < INFINITY)) {
        return x == 0.0 ? -INFINITY : x < 0.0 ? NAN : x;
    }
    high = hedgerow_log_parts(x, &low);
    return high + low;
}

/* The two halves of a number, of 26 bits each: products of halves are exact. */
static inline void hedgerow_halves(double x, double *high, double *low)
{
    const double c = 134217729.0 * x; /* 2^27 + 1 */
    *high = c - (c - x);
    *low = x - *high;
}

/* x to the power of y, x >= 0 and below 2^996, |y| <= 2^27; 0 to a power above 0 is 0.  Where the
   result is a whole number it is exact. */
static inline double hedgerow_pow(double x, double y)
{
    double low, high, product, x1, x0, y1, y0;
    if (x == 0.0) {
        return y == 0.0 ? 1.0 : y > 0.0 ? 0.0 : INFINITY;
    }
    high = hedgerow_log_parts(x, &low);
    product = high * y;
    hedgerow_halves(high, &x1, &x0);
    hedgerow_halves(y, &y1, &y0);
    low = low * y + (((x1 * y1 - product) + x1 * y0 + x0 * y1) + x0 * y0);
    return hedgerow_exp_parts(product, low);
}

/* atan x = atan c + atan((x - c) / (1 + x c)) for the nearest multiple c of 1/4. */
static inline double hedgerow_atan(double x)
{
    static const double of_centre[5] = {
        0.0, 0.24497866312686415417, 0.46364760900080611621, 0.64350110879328438680,
        0.78539816339744830962};
    const double size = fabs(x);
    double z, c, s, s2, p, found;
    int i;
    if (x != x) {
        return x;
    }
    z = size > 1.0 ? 1.0 / size : size;
    i = (int)(4.0 * z + 0.5);
    c = 0.25 * i;
    s = (z - c) / (1.0 + z * c);
    s2 = s * s;
    p = 1.0 / 19.0;
    p = 1.0 / 17.0 - p * s2;
    p = 1.0 / 15.0 - p * s2;
    p = 1.0 / 13.0 - p * s2;
    p = 1.0 / 11.0 - p * s2;
    p = 1.0 / 9.0 - p * s2;
    p = 1.0 / 7.0 - p * s2;
    p = 1.0 / 5.0 - p * s2;
    p = 1.0 / 3.0 - p * s2;
    found = of_centre[i] + (s - s * s2 * p);
    if (size > 1.0) {
        /* pi / 2, and what is left of it after 53 bits. */
        found = 1.57079632679489661923 - (found - 6.123233995736766036e-17);
    }
    return x < 0.0 ? -found : found;
}

/* exp(-x x): the square is taken in two parts, the first of which is exact. */
static inline double hedgerow_bell(double x)
{
    double high, low;
    hedgerow_halves(x, &high, &low);
    return hedgerow_exp_parts(-high * high, -low * (x + high));
}

/* 1 - erf x.  Below 1 by the series of erf with positive terms,
   erf x = 2 / sqrt(pi) exp(-x^2) sum_k 2^k x^(2k + 1) / (2k + 1)!!, from there by the continued
   fraction of erfc, whose depth falls with x. */
static inline double hedgerow_erfc(double x)
{
    const double size = fabs(x);
    double found, term;
    int k;
    if (x != x) {
        return x;
    }
    if (size < 1.0) {
        found = term = size;
        for (k = 1; k < 28; k++) {
            term *= 2.0 * size * size / (2.0 * k + 1.0);
            found += term;
        }
        found *= 1.12837916709551257390 * hedgerow_bell(size);
        return x < 0.0 ? 1.0 + found : 1.0 - found;
    }
    found = size;
    if (size > 27.5) {
        return x < 0.0 ? 2.0 : 0.0;
    }
    for (k = 12 + (int)(200.0 / (size * size)); k > 0; k--) {
        found = size + 0.5 * k / found;
    }
    found = 0.56418958354775628695 * hedgerow_bell(size) / found;
    return x < 0.0 ? 2.0 - found : found;
}

#endif
