/* Standard normal distribution function by Taylor expansion about tabulated centres.

   A gate is evaluated for every instance at every soft node, and erfc is the slowest thing in
   that loop.  Between neighbouring centres (1/32 apart) six terms leave an error below 2e-15.
   Each compilation unit fills its own table at import. */
#ifndef HEDGEROW_NORMAL_H
#define HEDGEROW_NORMAL_H

#include <stddef.h>

#include "_elementary.h"

#define HEDGEROW_PHI_PER_UNIT 32
#define HEDGEROW_PHI_LIMIT 9
#define HEDGEROW_PHI_CENTRES (2 * HEDGEROW_PHI_LIMIT * HEDGEROW_PHI_PER_UNIT + 1)

static double hedgerow_phi_table[HEDGEROW_PHI_CENTRES][7];

/* Coefficients of h^0..h^6 of the normal CDF about t: each derivative is the density times a
   Hermite polynomial of alternating sign. */
static void hedgerow_phi_coefficients(double t, double *c)
{
    const double density = hedgerow_exp(-0.5 * t * t) * 0.39894228040143267794;
    const double t2 = t * t;
    c[0] = 0.5 * hedgerow_erfc(-t * 0.70710678118654752440);
    c[1] = density;
    c[2] = -density * t / 2.0;
    c[3] = density * (t2 - 1.0) / 6.0;
    c[4] = -density * t * (t2 - 3.0) / 24.0;
    c[5] = density * (t2 * t2 - 6.0 * t2 + 3.0) / 120.0;
    c[6] = -density * t * (t2 * t2 - 10.0 * t2 + 15.0) / 720.0;
}

static void hedgerow_phi_fill(void)
{
    int i;
    for (i = 0; i < HEDGEROW_PHI_CENTRES; i++) {
        hedgerow_phi_coefficients(
            (double)i / HEDGEROW_PHI_PER_UNIT - HEDGEROW_PHI_LIMIT, hedgerow_phi_table[i]);
    }
}

static inline double hedgerow_phi(double t)
{
    ptrdiff_t i;
    double h;
    const double *c;
    if (t <= -HEDGEROW_PHI_LIMIT || t >= HEDGEROW_PHI_LIMIT) {
        return 0.5 * hedgerow_erfc(-t * 0.70710678118654752440);
    }
    i = (ptrdiff_t)((t + HEDGEROW_PHI_LIMIT) * HEDGEROW_PHI_PER_UNIT + 0.5);
    h = t - ((double)i / HEDGEROW_PHI_PER_UNIT - HEDGEROW_PHI_LIMIT);
    c = hedgerow_phi_table[i];
    return c[0] + h * (c[1] + h * (c[2] + h * (c[3] + h * (c[4] + h * (c[5] + h * c[6])))));
}

/* Coefficients of u^0..u^6 of the normal CDF at t + u, for |t| below the limit and |u| up to 1/16:
   the expansion about the nearest centre, moved to t.  Error below 1e-13. */
static inline void hedgerow_phi_expand(double t, double *c)
{
    const ptrdiff_t i = (ptrdiff_t)((t + HEDGEROW_PHI_LIMIT) * HEDGEROW_PHI_PER_UNIT + 0.5);
    const double h = t - ((double)i / HEDGEROW_PHI_PER_UNIT - HEDGEROW_PHI_LIMIT);
    const double *row = hedgerow_phi_table[i];
    int j, k;
    for (k = 0; k < 7; k++) {
        c[k] = row[k];
    }
    for (j = 0; j < 6; j++) {
        for (k = 5; k >= j; k--) {
            c[k] += h * c[k + 1];
        }
    }
}

#endif
