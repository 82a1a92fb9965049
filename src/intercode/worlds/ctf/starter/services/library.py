"""A library of leaflets on the web. Readers get what lies in public/, and nothing above it."""

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit


class Library(BaseHTTPRequestHandler):
    """The page."""

    def do_GET(self) -> None:
        """The list of leaflets, or one of them."""
        asked = urlsplit(self.path)
        if asked.path == "/":
            return self.answer(200, "\n".join(f"/read?name={path.name}" for path in sorted(Path("public").iterdir())))
        name = parse_qs(asked.query).get("name", [""])[0].replace("../", "")  # nobody leaves public/
        try:
            return self.answer(200, Path("public", name).read_text())
        except (OSError, ValueError):
            return self.answer(404, f"there is no leaflet called {name}")

    def answer(self, status: int, text: str) -> None:
        """Send a text."""
        body = f"{text}\n".encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 8000), Library).serve_forever()
