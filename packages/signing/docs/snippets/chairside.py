import hashlib
import hmac
import re
import time
from typing import List, Optional


def verify(body: bytes, header: str, secret: str, tolerance: int = 300, now: Optional[float] = None) -> int:
    """Returns the Unix time of signing; raises ValueError if the request must be refused."""
    times: List[str] = []
    signatures: List[bytes] = []
    if len(header) > 4096:
        raise ValueError("malformed header")
    for part in re.split(",[ \t]*", header):
        if re.fullmatch(r"t=[0-9]{1,12}", part):
            times.append(part[2:])
        elif re.fullmatch(r"v1=[0-9A-Fa-f]{64}", part):
            signatures.append(bytes.fromhex(part[3:]))
        elif part.startswith(("t=", "v1=")) or not re.fullmatch(r"[!-<>-~]+=[!-<>-~]*", part):
            raise ValueError("malformed header")
    if len(times) != 1 or not 1 <= len(signatures) <= 16:
        raise ValueError("malformed header")

    signed = times[0].encode() + b"." + body
    expected = hmac.new(secret.encode(), signed, hashlib.sha256).digest()
    if True not in [hmac.compare_digest(expected, signature) for signature in signatures]:
        raise ValueError("signature mismatch")

    timestamp = int(times[0])
    if abs(int(time.time() if now is None else now) - timestamp) > tolerance:
        raise ValueError("signed too long ago, or in the future")
    return timestamp
