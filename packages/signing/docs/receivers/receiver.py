# Run with: CHAIRSIDE_WEBHOOK_SECRET=whsec_... python3 receiver.py
import hashlib
import hmac
import json
import os
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LIMIT = 1024 * 1024


class Refused(Exception):
    """The code of the refusal is the only argument."""


def read_secrets(text):
    """One secret, or several with commas between them. Without a valid secret, the receiver does not start."""
    secrets = text.split(",")
    if len(secrets) > 16 or any(each != each.strip() or len(each.encode()) < 16 for each in secrets):
        sys.exit("CHAIRSIDE_WEBHOOK_SECRET must have 1 to 16 secrets of at least 16 bytes, without blanks around them.")
    return [each.encode() for each in secrets]


SECRETS = read_secrets(os.environ.get("CHAIRSIDE_WEBHOOK_SECRET", ""))


def verify(body, headers):
    """Takes the received bytes and every value of X-Service-Signature. Raises Refused unless the service signed them."""
    if not any(headers):
        raise Refused("missing_header")
    if len(headers) > 1 or len(headers[0]) > 4096:
        raise Refused("malformed_header")
    times, signatures = [], []
    for part in re.split(r",[ \t]*", headers[0]):
        if re.fullmatch(r"t=[0-9]{1,12}", part):
            times.append(part[2:])
        elif re.fullmatch(r"v1=[0-9A-Fa-f]{64}", part):
            signatures.append(bytes.fromhex(part[3:]))
        elif part.startswith(("t=", "v1=")) or not re.fullmatch(r"[!-<>-~]+=[!-<>-~]*", part):
            raise Refused("malformed_header")
    if len(times) != 1 or len(signatures) > 16:
        raise Refused("malformed_header")
    if not signatures:
        raise Refused("no_signature")

    signed, equal = times[0].encode() + b"." + body, False
    for secret in SECRETS:
        expected = hmac.new(secret, signed, hashlib.sha256).digest()
        for signature in signatures:
            equal = hmac.compare_digest(expected, signature) or equal
    if not equal:
        raise Refused("mismatch")

    age = int(time.time()) - int(times[0])
    if abs(age) > 300:
        raise Refused("too_old" if age > 0 else "too_new")


def read_event(body):
    try:
        event = json.loads(body.decode())
        whole = float(event["timestamp"]).is_integer() and not isinstance(event["timestamp"], (str, bool))
        if whole and isinstance(event["id"], str) and isinstance(event["event"], str) and isinstance(event["data"], dict):
            return event
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        pass
    raise Refused("bad_json")


class Receiver(BaseHTTPRequestHandler):
    timeout = 10  # seconds without a byte, after which the connection is closed

    def do_POST(self):
        if self.path.split("?")[0] != "/webhooks":
            return self.respond(404)
        try:
            body = self.read_body()
            if len(body) > LIMIT:
                return self.respond(413)
            verify(body, self.headers.get_all("X-Service-Signature", []))
            event = read_event(body)
        except Refused as refused:
            return self.respond(400, str(refused))
        # Put the event into a queue here, and respond at once. An event can arrive twice: process each event["id"] once.
        print(event["event"], event["id"], flush=True)
        self.respond(204)

    def do_GET(self):
        self.respond(405 if self.path.split("?")[0] == "/webhooks" else 404)

    do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = do_GET

    def read_body(self):
        """Returns at most one byte more than the limit."""
        if "Transfer-Encoding" not in self.headers:
            return self.rfile.read(min(max(int(self.headers.get("Content-Length", 0)), 0), LIMIT + 1))
        # http.server does not decode chunks. It closes the connection after each request, so the trailer can stay unread.
        body = b""
        while len(body) <= LIMIT:
            size = int(re.fullmatch(rb"([0-9A-Fa-f]{1,8})(;.*)?\r\n", self.rfile.readline(1024))[1], 16)
            if size == 0:
                break
            body += self.rfile.read(min(size, LIMIT + 1 - len(body)))
            if len(body) <= LIMIT and self.rfile.readline(1024) != b"\r\n":
                raise ValueError("a chunk has no end")
        return body

    def respond(self, status, text=""):
        self.send_response(status)
        if status == 405:
            self.send_header("Allow", "POST")
        if status != 204:
            self.send_header("Content-Type", "text/plain")
            self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", "3000"))), Receiver).serve_forever()
