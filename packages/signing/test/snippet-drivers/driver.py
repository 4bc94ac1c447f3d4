import base64
import sys

from chairside import verify

for line in sys.stdin:
    header, secret, body, now = line.rstrip("\n").split("\t")
    decode = base64.b64decode
    try:
        verify(decode(body), decode(header).decode(), decode(secret).decode(), now=int(now))
        print("accept")
    except ValueError:
        print("refuse")
