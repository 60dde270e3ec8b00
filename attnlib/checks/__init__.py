"""Checks for the exercises, a module for each chapter: each tells the likely mistakes from the right answer.

A check calls the student's function on inputs chosen so that every likely mistake gives numbers of its
own, and compares. The right answer, and every wrong one, comes from the functions of this package: no
formula is written down a second time. A check prints as its message; it never raises for a wrong answer.
"""
