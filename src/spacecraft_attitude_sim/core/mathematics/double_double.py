# Copyright 2026 The spacecraft_attitude_sim authors
# SPDX-License-Identifier: Apache-2.0
"""Double-double arithmetic: a number as an unevaluated sum of two floats, 32 digits.

It is for the few differences that decide a long motion, such as the distance of a tumble from its
separatrix. Sums by Knuth's and products by Dekker's error-free transformations (T. J. Dekker,
Numer. Math. 18 (1971) 224); they need a compiler that does not reorder, see kernels.kernel.
"""

from spacecraft_attitude_sim.kernels.kernel import inlined

# A double-double number, and a vector of them.
DoubleDouble = tuple[float, float]
DoubleDoubles = tuple[DoubleDouble, ...]

SPLITTER = 134217729.0  # 2^27 + 1: splits 53 bits into two halves


@inlined
def two_sum(a: float, b: float) -> DoubleDouble:
    """Return a + b as a rounded sum and its error."""
    total = a + b
    shadow = total - a
    return total, (a - (total - shadow)) + (b - shadow)


@inlined
def halves(a: float) -> DoubleDouble:
    """Return a as a sum of two floats of at most 26 bits."""
    shifted = SPLITTER * a
    high = shifted - (shifted - a)
    return high, a - high


@inlined
def two_product(a: float, b: float) -> DoubleDouble:
    """Return a b as a rounded product and its error."""
    product = a * b
    a_high, a_low = halves(a)
    b_high, b_low = halves(b)
    error = a_high * b_high - product
    error = ((error + a_high * b_low) + a_low * b_high) + a_low * b_low
    return product, error


@inlined
def add(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """Return a + b."""
    high, low = two_sum(a[0], b[0])
    tail, rest = two_sum(a[1], b[1])
    high, low = two_sum(high, low + tail)
    return two_sum(high, low + rest)


@inlined
def subtract(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """Return a - b."""
    return add(a, (-b[0], -b[1]))


@inlined
def multiply(a: DoubleDouble, b: DoubleDouble) -> DoubleDouble:
    """Return a b."""
    high, low = two_product(a[0], b[0])
    return two_sum(high, low + (a[0] * b[1] + a[1] * b[0]))


@inlined
def rotate(q0: float, q1: float, q2: float, q3: float, v: DoubleDoubles) -> DoubleDoubles:
    """Return q ∘ v ∘ q* of a quaternion of floats."""
    w, x, y, z = (q0, 0.0), (q1, 0.0), (q2, 0.0), (q3, 0.0)
    scale = subtract(multiply(w, w), add(add(multiply(x, x), multiply(y, y)), multiply(z, z)))
    along = add(add(multiply(x, v[0]), multiply(y, v[1])), multiply(z, v[2]))
    c0 = subtract(multiply(y, v[2]), multiply(z, v[1]))
    c1 = subtract(multiply(z, v[0]), multiply(x, v[2]))
    c2 = subtract(multiply(x, v[1]), multiply(y, v[0]))
    return (
        combined(scale, v[0], along, x, w, c0),
        combined(scale, v[1], along, y, w, c1),
        combined(scale, v[2], along, z, w, c2),
    )


@inlined
def combined(
    scale: DoubleDouble,
    v: DoubleDouble,
    along: DoubleDouble,
    u: DoubleDouble,
    w: DoubleDouble,
    cross: DoubleDouble,
) -> DoubleDouble:
    """Return scale v + 2 (along u + w cross), one component of a rotated vector."""
    turned = add(multiply(along, u), multiply(w, cross))
    return add(multiply(scale, v), (2.0 * turned[0], 2.0 * turned[1]))
