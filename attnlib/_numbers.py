"""How the book writes numbers: explorers, figures and tables give the same one the same text.

>>> fixed(1234.5), fixed(-0.25), fixed(-0.0004)
('1,234.500', '−0.250', '0.000')
"""


def rounded(value, digits=3):
    """Return a number as it is written with so many decimals.

    It is rounded to six more first: on which side of a tie such as 1/16 a result lies must not depend on its
    last bit, which differs between machines.

    >>> rounded(0.0625), rounded(0.06250000000000001), rounded(0.062501)
    (0.062, 0.062, 0.063)
    """
    return round(round(float(value), digits + 6), digits)


def fixed(value, digits=3):
    """Write a number with so many decimals, with commas from 1,000 on, a true minus sign and never "-0"."""
    return minus(f"{rounded(value, digits):z,.{digits}f}")


def minus(text):
    """Write hyphens before numbers as true minus signs (U+2212)."""
    return text.replace("-", "−")


def separator(title):
    """Return what stands between the thousands of what has this title: nothing if years, which are names."""
    return "" if title == "year" else ","
