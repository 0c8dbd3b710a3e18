"""Gates from their definitions, one value at a time; the normal one and that of UDT are in
`oracle.induction`."""

CLIP = 1e-9


def step(x, threshold):
    """Thesis, equation 2.1."""
    return 1.0 if x < threshold else 0.0


def linear(x, lower, threshold, upper):
    """PLT: through (lower, 1), (threshold, .5) and (upper, 0); at a jump, what is on its right."""
    if x < lower:
        return 1.0
    if x >= upper:
        return 0.0
    if x < threshold:
        return 0.5 + 0.5 * (threshold - x) / (threshold - lower)
    return 0.5 - 0.5 * (x - threshold) / (upper - threshold)


def model(x, threshold, cdf, sigma, center=0.0, relative=False, window=6.0):
    """Equation 3.9 with F in the place of Phi, cut about its centre; of d / |x| if relative."""
    d = threshold - x
    if relative:
        if x == 0:
            return step(x, threshold)
        d /= abs(x)
    if d - center >= (window / 2 - CLIP) * sigma:
        return 1.0
    if d - center <= -(window / 2 - CLIP) * sigma:
        return 0.0
    return min(max(float(cdf(d)), 0.0), 1.0)
