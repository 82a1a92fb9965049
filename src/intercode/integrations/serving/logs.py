"""Structured logs: one JSON object a line, with what happened and no word of what agents or clients wrote."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import Any

log = logging.getLogger("intercode.serve")


class JsonFormatter(logging.Formatter):
    """A record as one line of JSON: `time`, `level`, `event`, and the fields of `log_event`."""

    def format(self, record: logging.LogRecord) -> str:
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        line: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


def log_event(event: str, **fields: object) -> None:
    """Log that *event* happened. *fields* hold no secret: session ids are cut, actions and tokens stay out."""
    level = logging.ERROR if event == "error" else logging.INFO
    log.log(level, event, extra={"fields": fields})


def write_logs() -> None:
    """Send the server's logs, and the errors of the web server, to standard error."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter())
    for name, level in (("intercode.serve", logging.INFO), ("uvicorn", logging.ERROR)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(level)
