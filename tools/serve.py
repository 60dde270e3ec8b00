"""Serve the built site on this machine as a real server would: gzip, types, caching, the 404 page.

python tools/serve.py [--port PORT] [--prefix /path/] [FOLDER]
"""

import argparse
import functools
import gzip
import mimetypes
import posixpath
import re
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parent.parent
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".txt": "text/plain; charset=utf-8",
    ".xml": "application/xml",
}
RANGE = re.compile(r"bytes=(\d+)-(\d*)")


@functools.lru_cache(maxsize=256)
def _compressed(path, _changed):
    return gzip.compress(path.read_bytes(), 9, mtime=0)


class Handler(SimpleHTTPRequestHandler):
    """Answers GET and HEAD for the files below `folder`, under `prefix`."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *args, folder, prefix, quiet, **options):
        """Remember what is served; the base class then answers at once."""
        self.folder, self.prefix, self.quiet = Path(folder).resolve(), prefix, quiet
        super().__init__(*args, **options)

    def do_GET(self):
        """Send the file, or the 404 page."""
        self._send(with_body=True)

    def do_HEAD(self):
        """Send what GET would, without the body."""
        self._send(with_body=False)

    def _find(self):
        address = unquote(urlsplit(self.path).path)
        if not address.startswith(self.prefix):
            return None
        path = (
            self.folder / posixpath.normpath("/" + address.removeprefix(self.prefix)).lstrip("/")
        ).resolve()
        if address.endswith("/"):
            path /= "index.html"
        return path if path.is_relative_to(self.folder) and path.is_file() else None

    def _send(self, with_body):
        found = self._find()
        path = found or self.folder / "404.html"
        kind = TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        packed = path.suffix in TYPES and "gzip" in self.headers.get("Accept-Encoding", "")
        body = _compressed(path, path.stat().st_mtime_ns) if packed else path.read_bytes()
        part = None if packed or not found else RANGE.fullmatch(self.headers.get("Range", ""))
        first, last = (int(part[1]), int(part[2] or len(body) - 1)) if part else (0, len(body) - 1)
        if part and not first <= last < len(body):
            first, last, part = 0, len(body) - 1, None
        self.send_response(404 if not found else 206 if part else 200)
        self.send_header("Content-Type", kind)
        if not packed:  # players of sound need parts to jump to a moment
            self.send_header("Accept-Ranges", "bytes")
        if part:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
            body = body[first : last + 1]
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Vary", "Accept-Encoding")
        named_by_content = found and urlsplit(self.path).query.startswith("v=")
        self.send_header("Cache-Control", "max-age=31536000, immutable" if named_by_content else "no-cache")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        if with_body:
            self.wfile.write(body)

    def log_message(self, *args):
        """Say what was asked for, unless asked to be quiet."""
        if not self.quiet:
            super().log_message(*args)


class Server(ThreadingHTTPServer):
    """Does not wait for a browser's idle connections when it stops."""

    daemon_threads = True
    block_on_close = False

    def handle_error(self, request, client_address):
        """A browser that closes a connection early is no error."""


def make_server(folder, port=0, prefix="/", quiet=True):
    """Return a loopback server for `folder` that knows its `address`; port 0 takes a free one."""
    if not (Path(folder) / "index.html").is_file():
        raise FileNotFoundError(f"{folder} holds no index.html; run `make book` first")
    prefix = f"/{prefix.strip('/')}/".replace("//", "/")
    handler = functools.partial(Handler, folder=folder, prefix=prefix, quiet=quiet)
    server = Server(("127.0.0.1", port), handler)
    server.address = f"http://127.0.0.1:{server.server_port}{prefix}"
    return server


@contextmanager
def serving(folder, prefix="/"):
    """Serve `folder` in the background; gives the address of its first page."""
    server = make_server(folder, prefix=prefix)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield server.address
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def main():
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "_build" / "html")
    parser.add_argument("--port", type=int, default=8000)
    parser.add_argument("--prefix", default="/", help="serve below this path, as a project page would")
    arguments = parser.parse_args()
    try:
        server = make_server(arguments.folder, arguments.port, arguments.prefix, quiet=False)
    except OSError as error:
        parser.exit(1, f"cannot serve: {error}; --port chooses another port (make serve PORT=8001)\n")
    print(f"{server.address}  (Ctrl+C ends)")
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


if __name__ == "__main__":
    main()
