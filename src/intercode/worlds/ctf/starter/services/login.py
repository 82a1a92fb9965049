"""A shop's login page, over a database."""

import html
import sqlite3
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs

PAGE = "<html><body><h1>Harbour Bicycles: staff</h1>{}</body></html>\n"
FORM = "<form method=post action=/login>name <input name=name> password <input name=password type=password></form>"


def find(name: str, password: str) -> "tuple[str, str] | None":
    """The member of staff with that name and password, and the note on their desk."""
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE staff (name TEXT, password TEXT, note TEXT)")
        people = [("anna", Path("password.txt").read_text(), "order more chains"),
                  ("owner", Path("password.txt").read_text()[::-1], Path("flag.txt").read_text())]  # fmt: skip
        database.executemany("INSERT INTO staff VALUES (?, ?, ?)", people)
        question = f"SELECT name, note FROM staff WHERE name = '{name}' AND password = '{password}'"
        row = database.execute(question).fetchone()
    return None if row is None else (row[0], row[1])


class Staff(BaseHTTPRequestHandler):
    """The page."""

    def do_GET(self) -> None:
        """Ask who is there."""
        self.answer(200, FORM)

    def do_POST(self) -> None:
        """Let staff in."""
        fields = parse_qs(self.rfile.read(min(int(self.headers.get("Content-Length", 0)), 4096)).decode())
        try:
            found = find(fields.get("name", [""])[0], fields.get("password", [""])[0])
        except sqlite3.Error as error:
            return self.answer(500, f"the database says: {html.escape(str(error))}")
        if found is None:
            return self.answer(403, "nobody is called that, or the password is wrong")
        return self.answer(200, f"welcome, {html.escape(found[0])}. Your note: {html.escape(found[1])}")

    def answer(self, status: int, body: str) -> None:
        """Send a page."""
        page = PAGE.format(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(page)))
        self.end_headers()
        self.wfile.write(page)


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", 8080), Staff).serve_forever()
