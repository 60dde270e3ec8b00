"""Links that read well before this site is built: a chapter cites and names terms in plain Markdown.

JupyterLab shows a role as its source, so chapters write

    ([Bridle, 1990](../references.md#bridle1990training))    a work, by its key in references.bib
    [temperature](../glossary.md#term-temperature)           a term of the glossary
    [(tempered-odds)](#tempered-odds)                        a formula, whose number MyST puts in its place
"""

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


def setup(app):
    """Run after a page was read, before its links are resolved."""
    app.add_transform(PlainLinks)
