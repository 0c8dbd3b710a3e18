/* One E-step and one M-step of a mixture, over instances as vector code.

   Classes are taken by up to four: their number is known when a loop is compiled, so that what is
   summed stays in registers.  No sum depends on how wide these are. */
#ifndef HEDGEROW_STEP_H
#define HEDGEROW_STEP_H

#include <stddef.h>
#include <string.h>

#include "../tree/_elementary.h"

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__)
#define HEDGEROW_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define HEDGEROW_CLONES
#endif
#define HEDGEROW_INLINE static inline __attribute__((always_inline))

#define HEDGEROW_AT_ONCE 4   /* classes */
#define HEDGEROW_LANES 4     /* sums side by side */
#define HEDGEROW_FAR 1e-200  /* a product beyond it, or beyond its inverse, becomes a logarithm */

typedef double hedgerow_lanes __attribute__((vector_size(HEDGEROW_LANES * sizeof(double))));

/* As a macro: by value they would change how functions are called. */
#define HEDGEROW_LOAD(into, from) memcpy(&(into), (from), sizeof(into))

/* evidence += plausibility of a leaf times its counts, mixed by the plausibilities of classes. */
HEDGEROW_INLINE void hedgerow_mix(const double* restrict leaf, const double* restrict classes,
                                  int n_classes, ptrdiff_t n, const double* restrict counts,
                                  double* restrict evidence)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        double mixed = counts[0] * classes[i];
        for (int k = 1; k < n_classes; k++)
            mixed += counts[k] * classes[k * n + i];
        evidence[i] += leaf[i] * mixed;
    }
}

/* counts of a leaf times the sum of its share of each instance, by class; the largest sum. */
HEDGEROW_INLINE void hedgerow_count(const double* restrict leaf, const double* restrict classes,
                                    int n_classes, ptrdiff_t n, const double* restrict inverse,
                                    double* restrict counts, double* restrict most)
{
    hedgerow_lanes sums[HEDGEROW_AT_ONCE] = {{0.0}};
    double rest[HEDGEROW_AT_ONCE] = {0.0};
    ptrdiff_t i = 0;
    for (; i + HEDGEROW_LANES <= n; i += HEDGEROW_LANES) {
        hedgerow_lanes share, other;
        HEDGEROW_LOAD(share, leaf + i);
        HEDGEROW_LOAD(other, inverse + i);
        share *= other;
        for (int k = 0; k < n_classes; k++) {
            HEDGEROW_LOAD(other, classes + k * n + i);
            sums[k] += share * other;
        }
    }
    for (; i < n; i++)
        for (int k = 0; k < n_classes; k++)
            rest[k] += leaf[i] * inverse[i] * classes[k * n + i];
    for (int k = 0; k < n_classes; k++) {
        const double factor = ((sums[k][0] + sums[k][1]) + (sums[k][2] + sums[k][3])) + rest[k];
        counts[k] *= factor;
        *most = factor > *most ? factor : *most;
    }
}

#define HEDGEROW_BY_FOUR(what, n_classes, ...) \
    do {                                       \
        if ((n_classes) >= 4)                  \
            what(4, __VA_ARGS__);              \
        else if ((n_classes) == 3)             \
            what(3, __VA_ARGS__);              \
        else if ((n_classes) == 2)             \
            what(2, __VA_ARGS__);              \
        else                                   \
            what(1, __VA_ARGS__);              \
    } while (0)
#define HEDGEROW_MIX(few, leaf, classes, n, counts, evidence) \
    hedgerow_mix(leaf, classes, few, n, counts, evidence)
#define HEDGEROW_COUNT(few, leaf, classes, n, inverse, counts, most) \
    hedgerow_count(leaf, classes, few, n, inverse, counts, most)

/* The log-likelihood of the evidence, which becomes its inverse, times the weight. */
HEDGEROW_INLINE double hedgerow_invert(const double* weight, ptrdiff_t n, double* evidence)
{
    double product = 1.0, found = 0.0;
    if (weight) {
        for (ptrdiff_t i = 0; i < n; i++)
            found += weight[i] * hedgerow_log(evidence[i]);
        for (ptrdiff_t i = 0; i < n; i++)
            evidence[i] = weight[i] / evidence[i];
    } else {
        for (ptrdiff_t i = 0; i < n; i++) {
            product *= evidence[i];
            if (!(product > HEDGEROW_FAR && product < 1.0 / HEDGEROW_FAR)) {
                found += hedgerow_log(product);
                product = 1.0;
            }
        }
        found += hedgerow_log(product);
        for (ptrdiff_t i = 0; i < n; i++)
            evidence[i] = 1.0 / evidence[i];
    }
    return found;
}

/* One E-step and one M-step; the log-likelihood of the counts that went in, but for n log n.
   leaves: n_leaves rows of n; classes: n_classes rows of n; weight: n numbers of instances, whose
   sum takes the place of n, or NULL for one each; counts: n_leaves rows of n_classes; evidence:
   room for n; most: the largest factor of a count, those of counts of 0 among them. */
HEDGEROW_CLONES
double hedgerow_step(const double* leaves, const double* classes, const double* weight,
                     ptrdiff_t n_leaves, ptrdiff_t n_classes, ptrdiff_t n, double* counts,
                     double* evidence, double* most)
{
    double found;
    for (ptrdiff_t i = 0; i < n; i++)
        evidence[i] = 0.0;
    for (ptrdiff_t h = 0; h < n_leaves; h++)
        for (ptrdiff_t k = 0; k < n_classes; k += HEDGEROW_AT_ONCE)
            HEDGEROW_BY_FOUR(HEDGEROW_MIX, n_classes - k, leaves + h * n, classes + k * n, n,
                             counts + h * n_classes + k, evidence);
    found = hedgerow_invert(weight, n, evidence);
    *most = 0.0;
    for (ptrdiff_t h = 0; h < n_leaves; h++)
        for (ptrdiff_t k = 0; k < n_classes; k += HEDGEROW_AT_ONCE)
            HEDGEROW_BY_FOUR(HEDGEROW_COUNT, n_classes - k, leaves + h * n, classes + k * n, n,
                             evidence, counts + h * n_classes + k, most);
    return found;
}

/* The same to the last bit where each instance has one plausible class: what is 0 is left out.
   rows, n_rows: of each leaf the instances that may be in it, n_leaves rows of n, and their number;
   label, plausible: class of each instance and its plausibility; sums: room for 5 n_classes. */
static double hedgerow_step_single(const double* leaves, const int* rows, const int* n_rows,
                                   const int* label, const double* plausible,
                                   const double* weight, ptrdiff_t n_leaves,
                                   ptrdiff_t n_classes, ptrdiff_t n, double* counts,
                                   double* evidence, double* sums, double* most)
{
    const int whole = (int) (n - n % HEDGEROW_LANES), width = HEDGEROW_LANES + 1;
    double found;
    for (ptrdiff_t i = 0; i < n; i++)
        evidence[i] = 0.0;
    for (ptrdiff_t h = 0; h < n_leaves; h++)
        for (int p = 0; p < n_rows[h]; p++) {
            const int i = rows[h * n + p];
            evidence[i] += leaves[h * n + i] * (counts[h * n_classes + label[i]] * plausible[i]);
        }
    found = hedgerow_invert(weight, n, evidence);
    *most = 0.0;
    for (ptrdiff_t h = 0; h < n_leaves; h++) {
        for (ptrdiff_t k = 0; k < width * n_classes; k++)
            sums[k] = 0.0;
        for (int p = 0; p < n_rows[h]; p++) {
            const int i = rows[h * n + p];
            const int lane = i < whole ? i % HEDGEROW_LANES : HEDGEROW_LANES;
            sums[width * label[i] + lane] += leaves[h * n + i] * evidence[i] * plausible[i];
        }
        for (ptrdiff_t k = 0; k < n_classes; k++) {
            const double* s = sums + width * k;
            const double factor = ((s[0] + s[1]) + (s[2] + s[3])) + s[4];
            counts[h * n_classes + k] *= factor;
            *most = factor > *most ? factor : *most;
        }
    }
    return found;
}

#endif
