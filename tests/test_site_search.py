"""The search, as its readers use it."""

import pytest
from built import find


@pytest.mark.parametrize("way", ["http", "file"])
def test_search_finds_sections_and_terms(visit, site, base, way):
    start = base if way == "http" else site.as_uri() + "/"
    page = visit(start + "index.html", inside=start)
    assert "chapters/glossary.html#term-entropy" in find(page, "entropy")
    assert "chapters/glossary.html#term-entropy" in find(page, "熵")
    assert any(link.startswith("chapters/transforms/temperature.html") for link in find(page, "Temperatures"))
    assert find(page, "softmax")[0] == "chapters/transforms/softmax.html"
    assert find(page, "xyzzyplugh") == []
    assert page.locator("#summary").inner_text() == "Nothing found for “xyzzyplugh”"
    page.locator("#query").fill("entropy")
    page.locator("#results a").first.click()
    assert page.locator("h1").count() == 1
    assert page.problems == []
