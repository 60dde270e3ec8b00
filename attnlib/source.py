"""Show the real source of a function in a chapter, without its docstring.

>>> from attnlib import perplexity
>>> show_source(perplexity)  # doctest: +ELLIPSIS
def perplexity(weights, axis=-1):
    return ...
"""

import ast
import inspect

__all__ = ["show_source"]


def show_source(*functions):
    """Print the signature and the body of each function, as they stand in their file."""
    parts = []
    for function in functions:
        source = inspect.getsource(function)
        definition = ast.parse(source).body[0]
        lines = source.splitlines()
        if ast.get_docstring(definition) is not None:
            docstring = definition.body[0]
            del lines[docstring.lineno - 1 : docstring.end_lineno]
        parts.append("\n".join(lines))
    print("\n\n\n".join(parts))
