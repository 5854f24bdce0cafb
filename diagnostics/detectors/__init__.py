"""Detectors: pure functions of arrays that know neither runs nor rules.

A detector counts logged points, not steps. One that answers point by point is causal unless it says otherwise: a point
is judged by itself and earlier ones. NaN means "not known" and is never bridged: a window that holds one gives NaN, a
streak starts anew after it, and an open episode neither grows nor ends over it, because silence is no recovery. ±Inf is
a very large number, except to means.
"""
