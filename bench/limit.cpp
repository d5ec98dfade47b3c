// Copyright 2026 The spacecraft_attitude_sim authors
// SPDX-License-Identifier: Apache-2.0
//
// What the machine can do: the arithmetic of core/equations/coasting.py by hand in C++, for one
// body and, four to a vector of AVX2, for many. Compiled and called by limit.py.
#include <immintrin.h>

namespace {

struct Lanes {
  __m256d v;
};
inline Lanes operator+(Lanes a, Lanes b) { return {_mm256_add_pd(a.v, b.v)}; }
inline Lanes operator-(Lanes a, Lanes b) { return {_mm256_sub_pd(a.v, b.v)}; }
inline Lanes operator*(Lanes a, Lanes b) { return {_mm256_mul_pd(a.v, b.v)}; }
inline Lanes operator/(Lanes a, Lanes b) { return {_mm256_div_pd(a.v, b.v)}; }

template <class T>
T same(double x);
template <>
inline double same<double>(double x) { return x; }
template <>
inline Lanes same<Lanes>(double x) { return {_mm256_set1_pd(x)}; }

template <class T>
struct Quaternion {
  T a, b, c, d;
};

template <class T>
inline Quaternion<T> increment(const Quaternion<T>& q, const T* g) {
  T x = g[0] * (q.b * q.d - q.a * q.c);
  T y = g[1] * (q.c * q.d + q.a * q.b);
  T z = g[2] * ((q.a * q.a + q.d * q.d) - (q.b * q.b + q.c * q.c));
  return {same<T>(0.0) - q.b * x - (q.c * y + q.d * z), q.a * x + (q.c * z - q.d * y),
          q.a * y + (q.d * x - q.b * z), q.a * z + (q.b * y - q.c * x)};
}

template <class T>
inline Quaternion<T> sum(const Quaternion<T>& p, const Quaternion<T>& q) {
  return {p.a + q.a, p.b + q.b, p.c + q.c, p.d + q.d};
}

template <class T>
inline T together(T q, T k1, T k2, T k3, T k4) {
  T third = same<T>(1.0 / 3.0), sixth = same<T>(1.0 / 6.0), two = same<T>(2.0);
  return q + (third * (k1 + two * k2 + k3) + sixth * k4);
}

template <class T>
inline Quaternion<T> step(const Quaternion<T>& q, const T* g) {
  T s = same<T>(1.0) / ((q.a * q.a + q.b * q.b) + (q.c * q.c + q.d * q.d));
  T h = same<T>(0.5);
  T whole[3] = {s * g[0], s * g[1], s * g[2]};
  T half[3] = {h * whole[0], h * whole[1], h * whole[2]};
  T plain[3] = {h * g[0], h * g[1], h * g[2]};
  Quaternion<T> k1 = increment(q, plain);
  k1 = {s * k1.a, s * k1.b, s * k1.c, s * k1.d};
  Quaternion<T> k2 = increment(sum(q, k1), half);
  Quaternion<T> k3 = increment(sum(q, k2), whole);
  Quaternion<T> k4 = increment(sum(q, k3), whole);
  return {together(q.a, k1.a, k2.a, k3.a, k4.a), together(q.b, k1.b, k2.b, k3.b, k4.b),
          together(q.c, k1.c, k2.c, k3.c, k4.c), together(q.d, k1.d, k2.d, k3.d, k4.d)};
}

// Groups of four bodies are stepped side by side to hide the latency of one.
template <int GROUPS>
void advance(double* q, const double* g, long count, long first, long last, long steps) {
  for (long i = first; i + 4 * GROUPS <= last; i += 4 * GROUPS) {
    Quaternion<Lanes> p[GROUPS];
    Lanes turn[GROUPS][3];
    for (int k = 0; k < GROUPS; ++k) {
      const double* from = q + i + 4 * k;
      p[k] = {{_mm256_loadu_pd(from)}, {_mm256_loadu_pd(from + count)},
              {_mm256_loadu_pd(from + 2 * count)}, {_mm256_loadu_pd(from + 3 * count)}};
      for (int j = 0; j < 3; ++j) turn[k][j] = {_mm256_loadu_pd(g + j * count + i + 4 * k)};
    }
    for (long n = 0; n < steps; ++n)
      for (int k = 0; k < GROUPS; ++k) p[k] = step(p[k], turn[k]);
    for (int k = 0; k < GROUPS; ++k) {
      double* to = q + i + 4 * k;
      _mm256_storeu_pd(to, p[k].a.v);
      _mm256_storeu_pd(to + count, p[k].b.v);
      _mm256_storeu_pd(to + 2 * count, p[k].c.v);
      _mm256_storeu_pd(to + 3 * count, p[k].d.v);
    }
  }
}

}  // namespace

extern "C" {

// q: (4), g: (3), as coasting.begin gives them.
void one(double* q, const double* g, long steps) {
  Quaternion<double> p = {q[0], q[1], q[2], q[3]};
  for (long n = 0; n < steps; ++n) p = step(p, g);
  q[0] = p.a;
  q[1] = p.b;
  q[2] = p.c;
  q[3] = p.d;
}

// q: (4, count), g: (3, count); bodies first to last, a multiple of 16.
void many(double* q, const double* g, long count, long first, long last, long steps, long groups) {
  if (groups == 1) advance<1>(q, g, count, first, last, steps);
  if (groups == 2) advance<2>(q, g, count, first, last, steps);
  if (groups == 4) advance<4>(q, g, count, first, last, steps);
}
}
