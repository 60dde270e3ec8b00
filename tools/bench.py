"""Compare attnlib with its peers in one run, on one thread: speed, memory, agreement. Run by `make bench`.

Every line prints what was measured, the target and whether it was met; the exit status is 1 if one was not.
Times are the best of many short rounds in which the two sides take turns, so that a busy machine slows both.
"""
# ruff: noqa: E402 - the number of threads is read when the libraries are loaded

import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import ast
import subprocess
import sys
import tracemalloc
from functools import partial
from pathlib import Path
from time import perf_counter

import numpy as np
import scipy.special
import torch
from entmax import entmax15
from entmax import sparsemax as entmax_sparsemax
from pytorch_metric_learning.losses import CosFaceLoss, SphereFaceLoss

import attnlib

torch.set_num_threads(1)
MISSED = []
NUMERICS = ["__init__", "_rows", "scores", "measures", "margins", "online"]
NUMERICS += ["catalogue", "gradients", "attention"]  # and transforms/


def report(what, measured, target, met, unit=""):
    """Print one line and remember a miss."""
    print(f"{what:<58}{measured:>10.4g}{unit:<4}{target:>12}  {'ok' if met else 'MISSED'}")
    if not met:
        MISSED.append(what)


def at_least(what, measured, target, unit="x"):
    """Report a figure that must reach the target."""
    report(what, measured, f">= {target:g}", measured >= target, unit)


def at_most(what, measured, target, unit="x"):
    """Report a figure that must stay below the target."""
    report(what, measured, f"<= {target:g}", measured <= target, unit)


def best(functions, rounds=1000, seconds=4.0):
    """Return the best time of each function, in seconds per call, the functions taking turns.

    A round is one call or half a millisecond of calls, whichever is longer: short enough to fall between two
    interruptions. There are as many rounds as the seconds allow, 5 at least.
    """
    times = [np.inf] * len(functions)
    calls = []
    for function in functions:
        function()
        start = perf_counter()
        function()
        calls.append(max(1, int(0.0005 / (perf_counter() - start))))
    end = perf_counter() + seconds
    for turn in range(rounds):
        if turn >= 5 and perf_counter() > end:
            break
        for i, function in enumerate(functions):
            start = perf_counter()
            for _ in range(calls[i]):
                function()
            times[i] = min(times[i], (perf_counter() - start) / calls[i])
    return times


def extra_memory(function, array):
    """Return the peak memory of a call in units of the input."""
    function(array)
    tracemalloc.start()
    result = function(array)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    del result
    return peak / array.nbytes


def scores(shape, dtype, seed=0):
    """Return normal scores."""
    return np.random.default_rng(seed).normal(size=shape).astype(dtype)


def title(text):
    """Print a heading."""
    print(f"\n{text}\n{'-' * len(text)}")


def softmax_against_scipy():
    """Softmax: at least as fast as scipy's, and no memory beyond the result."""
    title("softmax: times faster than scipy.special.softmax")
    for shape, target in (((1000,), 1.4), ((512, 512), 0.95), ((8, 12, 512, 512), 1.4)):
        for dtype in (np.float32, np.float64):
            x = scores(shape, dtype)
            peer, own = best([lambda x=x: scipy.special.softmax(x, axis=-1), lambda x=x: attnlib.softmax(x)])
            at_least(f"{shape} {dtype.__name__}", peer / own, target)
    title("softmax: peak memory over its result")
    for dtype in (np.float32, np.float64):
        at_most(
            f"(8, 12, 512, 512) {dtype.__name__}",
            extra_memory(attnlib.softmax, scores((8, 12, 512, 512), dtype)),
            1.02,
        )


def sparse_against_entmax():
    """Sparsemax and entmax 1.5 against the entmax package."""
    title("sparse maps at (4096, 1000): times faster than entmax, peak memory over the input, |row sum - 1|")
    for name, own, peer, targets in (
        ("sparsemax", attnlib.sparsemax, entmax_sparsemax, {np.float32: 5, np.float64: 3}),
        ("entmax 1.5", attnlib.entmax, entmax15, {np.float32: 4, np.float64: 3}),
    ):
        for dtype, target in targets.items():
            x = scores((4096, 1000), dtype)
            tensor = torch.from_numpy(x)
            theirs, ours = best([lambda p=peer, t=tensor: p(t, dim=-1), lambda f=own, x=x: f(x)])
            at_least(f"{name} {dtype.__name__}", theirs / ours, target)
            at_most(f"{name} {dtype.__name__}, memory", extra_memory(own, x), 1.2)
        sums = own(scores((4096, 1000), np.float32)).sum(axis=-1, dtype=np.float64)
        at_most(f"{name} float32, row sums", np.abs(sums - 1).max(), 5e-7, "")


def maps_against_softmax():
    """Each map against attnlib's softmax, and against itself with a mask."""
    x = scores((2048, 1000), np.float64)
    mask = np.random.default_rng(1).random(x.shape) > 0.3
    noise = np.random.default_rng(2).gumbel(size=x.shape)
    title(f"every map at {x.shape} float64: time over that of softmax; with a mask over without")
    maps = {e.name: partial(e.function, noise=noise) if e.random else e.function for e in attnlib.CATALOGUE}
    maps["log_softmax"] = attnlib.log_softmax
    for name, function in maps.items():
        base, plain, masked = best(
            [lambda: attnlib.softmax(x), lambda f=function: f(x), lambda f=function: f(x, mask=mask)]
        )
        if name in ("sparsemax", "entmax"):  # their peers are above
            print(f"{name:<58}{plain / base:>10.3g}x")
        else:
            at_most(name, plain / base, 2)
        at_most(f"{name}, masked", masked / plain, 4)


def import_time():
    """The time `import attnlib` takes beyond numpy."""
    title("import attnlib, beyond numpy")
    code = "import numpy, time; t = time.perf_counter(); import attnlib; print(time.perf_counter() - t)"
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        for _ in range(5)
    ]
    at_most("best of five", 1000 * min(float(run.stdout) for run in runs), 30, "ms")


def size():
    """Lines of the numerics: all of them, and those that are neither docstring, comment nor blank."""
    title("lines of the numerics")
    package = Path(attnlib.__file__).parent
    lines = code = 0
    for path in [*(package / f"{name}.py" for name in NUMERICS), *(package / "transforms").glob("*.py")]:
        source = path.read_text(encoding="utf-8")
        documented = set()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node):
                documented.update(range(node.body[0].lineno, node.body[0].end_lineno + 1))
        for number, line in enumerate(source.splitlines(), 1):
            lines += 1
            code += bool(line.strip()) and not line.lstrip().startswith("#") and number not in documented
    at_most("with docstrings", lines, 1500, "")
    at_most("without docstrings, comments and blank lines", code, 700, "")


def agreement():
    """Largest differences from the peers in float64."""
    title("largest difference from a peer, float64")
    x, g = scores((200, 50), np.float64), scores((200, 50), np.float64, 3)
    t = torch.from_numpy(x).requires_grad_()

    def compare(what, ours, theirs, limit=1e-13):
        theirs = theirs.detach().numpy() if isinstance(theirs, torch.Tensor) else theirs
        at_most(what, np.abs(np.asarray(ours) - theirs).max(), limit, "")

    def slope(output):
        return torch.autograd.grad(output, t, torch.from_numpy(g))[0]

    compare("softmax, scipy", attnlib.softmax(x), scipy.special.softmax(x, axis=-1))
    compare("log_softmax, scipy", attnlib.log_softmax(x), scipy.special.log_softmax(x, axis=-1))
    compare("sigmoid, scipy", attnlib.sigmoid(x), scipy.special.expit(x))
    for name, peer in {
        "softmax": torch.softmax,
        "log_softmax": torch.log_softmax,
        "sparsemax": entmax_sparsemax,
        "entmax": entmax15,
    }.items():
        source = "entmax" if "max" in name and "soft" not in name else "torch"
        limit = 1e-12 if source == "entmax" else 1e-13
        compare(f"{name}, {source}", getattr(attnlib, name)(x), peer(t, dim=-1), limit)
        compare(f"{name}_vjp, {source}", getattr(attnlib, f"{name}_vjp")(x, g), slope(peer(t, dim=-1)), limit)
    compare("sigmoid_vjp, torch", attnlib.sigmoid_vjp(x, g), slope(torch.sigmoid(t)))
    p, q = attnlib.softmax(x), attnlib.softmax(g)
    compare("entropy, scipy", attnlib.entropy(p), scipy.special.entr(p).sum(axis=-1))
    compare("kl_divergence, scipy", attnlib.kl_divergence(p, q), scipy.special.rel_entr(p, q).sum(axis=-1))
    margins(compare)


def margins(compare):
    """Margin losses and their gradients against pytorch-metric-learning, in float64."""
    rng = np.random.default_rng(4)
    features, weights, labels = (
        rng.normal(size=(64, 16)),
        rng.normal(size=(10, 16)),
        rng.integers(10, size=64),
    )
    for name, peer, options in (
        ("am_softmax", CosFaceLoss(10, 16, margin=0.35, scale=30), {}),
        ("a_softmax", SphereFaceLoss(10, 16, margin=4, scale=1), {"margin": 4}),
    ):
        peer = peer.double()
        peer.W.data = torch.from_numpy(weights.T.copy())
        x = torch.from_numpy(features).requires_grad_()
        loss = peer(x, torch.from_numpy(labels))
        by_x, by_w = torch.autograd.grad(loss, (x, peer.W))
        logits = getattr(attnlib, name)(features, weights, labels, **options)
        grads = getattr(attnlib, f"{name}_vjp")(
            features, weights, labels, attnlib.cross_entropy_vjp(logits, labels), **options
        )
        compare(f"{name} loss, pytorch-metric-learning", attnlib.cross_entropy(logits, labels), loss, 1e-5)
        compare(f"{name} gradient by features", grads[0], by_x, 1e-4)
        compare(f"{name} gradient by weights", grads[1], by_w.T, 1e-4)


if __name__ == "__main__":
    print(f"numpy {np.__version__}, scipy {scipy.__version__}, torch {torch.__version__}, one thread")
    softmax_against_scipy()
    sparse_against_entmax()
    maps_against_softmax()
    import_time()
    size()
    agreement()
    print(f"\n{len(MISSED)} missed" + "".join(f"\n  {what}" for what in MISSED))
    sys.exit(bool(MISSED))
