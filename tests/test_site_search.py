"""The search, as its readers use it."""

import re

import pytest
from built import find

# What people type, and where one of the first three results has to lead.
QUERIES = {
    "softmax": "chapters/transforms/softmax.html",
    "entropy": "chapters/glossary.html#term-entropy",
    "Temperatures": "chapters/transforms/temperature.html",
    "熵": "chapters/glossary.html#term-entropy",
    "温度": "chapters/glossary.html#term-temperature",
    "注意力权重": "chapters/glossary.html#term-attention-weight",
    "归一化": "chapters/glossary.html#term-normalization",
    "缩放点积": "chapters/glossary.html#term-scaled-dot-product",
    "square root": "chapters/learning/gradients.html#what-the-square-root-does",
    "attention sink": "chapters/glossary.html#term-attention-sink",
    "gumbel": "chapters/transforms/gumbel.html",
    "sparsemax": "chapters/transforms/sparse.html",
    "top-k mass": "chapters/glossary.html#term-top-k-mass",
    "calibration error": "chapters/glossary.html#term-calibration-error",
    "half precision": "chapters/transforms/softmax.html#break-it-a-head-too-sure-for-half-precision",
    "relu_attention": "chapters/package.html#attnlib.transforms.rectified.relu_attention",
    "mask": "chapters/notation.html#masks",
    "summarization": "chapters/applications/summarization.html",
    "speech recognition": "chapters/applications/speech.html",
    "cookies": "chapters/privacy.html",
}


@pytest.mark.parametrize("way", ["http", "file"])
def test_twenty_queries_find_their_place(visit, site, base, way):
    start = base if way == "http" else site.as_uri() + "/"
    page = visit(start + "index.html", inside=start)
    first_three = {query: find(page, query)[:3] for query in QUERIES}
    assert {query: found for query, found in first_three.items() if QUERIES[query] not in found} == {}
    assert find(page, "xyzzyplugh") == []
    assert page.locator("#summary").inner_text() == "Nothing found for “xyzzyplugh”"
    page.locator("#query").fill("entropy")
    with page.expect_navigation():  # a page that is on its way has no heading yet
        page.locator("#results a").first.click()
    assert page.locator("h1").count() == 1
    assert page.problems == []


def test_no_request_tells_what_was_looked_for(visit, base):
    page = visit(base + "index.html")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    assert find(page, "dispersion")
    page.locator("#query").fill("saturation")
    page.locator("#query").press("Enter")
    page.wait_for_url("**/search.html#q=saturation")
    assert requests
    assert not [url for url in requests if "dispersion" in url or "saturation" in url]


@pytest.mark.parametrize("box", ["header input[type=search]", "#query"])
def test_without_scripts_the_words_stay_in_the_box(visit, base, box):
    page = visit(base + "search.html", java_script_enabled=False)
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.locator(box).fill("dispersion")
    with page.expect_navigation():
        page.locator(box).press("Enter")
    assert page.locator("noscript p").is_visible(), "the page says that it needs JavaScript"
    assert requests
    assert not [url for url in requests if "dispersion" in url]


def test_going_back_brings_the_last_search_back(visit, base):
    page = visit(base + "index.html")
    found = find(page, "dispersion")
    page.locator("#query").fill("saturation")
    page.locator("#query").press("Enter")
    page.wait_for_url("**/search.html#q=saturation")
    page.go_back()
    page.locator("#summary", has_text="“dispersion”").wait_for()
    assert [link.get_attribute("href") for link in page.locator("#results a").all()] == found


def test_the_words_around_a_hit_are_words(visit, base):
    """Signatures of the package are set with their commas, not as one long word."""
    page = visit(base + "index.html")
    find(page, "relu_attention")
    text = page.locator("#results").inner_text()
    assert "relu_attention(scores, axis=-1, *, mask=None, temperature=1.0) Keep the positive scores" in text
    index = page.evaluate("window.searchIndex")
    uncertain = " ".join(text for url, *_, text in index if "/uncertainty.html" in url)
    assert "Entropy and effective number of such a row are … with 0" in uncertain, "displays are left out"
    words = {word for _, title, _, text in index if title == "The package" for word in text.split()}
    assert [word for word in words if len(word) > 60] == []
    assert [text for *_, text in index if re.search(r"\w\([b-d]\) ", text)] == [], "answers stand apart"
