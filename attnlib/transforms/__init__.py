"""Maps from scores to weights, each with its vector-Jacobian product below it."""
