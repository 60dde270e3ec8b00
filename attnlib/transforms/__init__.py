"""Maps from scores to weights, each with its vector-Jacobian product (vjp) below it.

A NAME_vjp takes the arguments of NAME and, after the scores, `grad_weights`: the gradient of something by the
weights, an array of the scores' shape. It returns the gradient by the scores, in their shape and dtype.
"""
