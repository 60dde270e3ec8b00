"""Links that read well before this site is built: a chapter cites and names terms in plain Markdown.

JupyterLab shows a role as its source, so chapters write

    ([Bridle, 1990b](../references.md#bridle1990training))   a work, by its key in references.bib
    [temperature](../glossary.md#term-temperature)           a term of the glossary
    [(tempered-odds)](#tempered-odds)                        a formula, whose number MyST puts in its place

Works that would be cited by the same names and year have a letter after it, here and in the list of works.
"""

import itertools
import re
from string import ascii_lowercase

from pybtex.plugin import find_plugin
from sphinx.addnodes import pending_xref
from sphinx.transforms import SphinxTransform
from sphinxcontrib.bibtex.citation_target import parse_citation_targets
from sphinxcontrib.bibtex.roles import CitationRef

REFERENCES, GLOSSARY = "chapters/references", "chapters/glossary"


class PlainLinks(SphinxTransform):
    """Make citations and terms of the links that lead to a work or a term: the same as the roles give."""

    default_priority = 500

    def apply(self):
        """Change the links in place; what they lead to is looked up, and missed, when pages are written."""
        for link in self.document.findall(pending_xref):
            page, name = link["reftarget"], link.get("reftargetid")
            if link["refdomain"] == "doc" and page == GLOSSARY and name:
                link.attributes |= {"refdomain": "std", "reftype": "term", "reftarget": link.astext()}
                link["refwarn"] = True
            elif link["refdomain"] == "doc" and page == REFERENCES and name:
                link.attributes |= {"refdomain": "cite", "reftype": "alp", "reftarget": name}
                self.document.note_explicit_target(link, link)
                works = list(parse_citation_targets(name))
                reference = CitationRef(link["ids"][0], self.env.docname, link.line, works)
                self.env.get_domain("cite").citation_refs.append(reference)


def name_work(entry):
    """Return how a work is cited: at most two names, then the year."""
    names = ["".join(map(str, person.rich_last_names)) for person in entry.persons["author"]]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {entry.fields['year']}"


def tell_apart(works):
    """Put a letter after the year of works that are cited alike, in place, in the order of the list of works.

    Letters that an earlier build has put there go first.
    """
    for work in works:
        work.fields["year"] = re.sub(r"(?<=\d)[a-z]$", "", work.fields["year"])
    works = find_plugin("pybtex.style.sorting", "author_year_title")().sort(works)
    for _, alike in itertools.groupby(sorted(works, key=name_work), name_work):
        alike = list(alike)
        for work, letter in zip(alike, ascii_lowercase, strict=False):
            work.fields["year"] += letter * (len(alike) > 1)


def tell_works_apart(app, env):
    """Tell apart the works that the book cites, before sphinxcontrib-bibtex writes their citations."""
    domain = env.get_domain("cite")
    cited = {target.key for reference in domain.citation_refs for target in reference.targets}
    entries = domain.bibdata.data.entries
    tell_apart([entries[key] for key in sorted(cited) if key in entries])  # what is missing is reported later


def setup(app):
    """Run after a page was read, before its links are resolved."""
    app.add_transform(PlainLinks)
    app.connect("env-updated", tell_works_apart, priority=400)
