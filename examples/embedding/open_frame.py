"""Opens a frame from Python. Needs the package cryptography; everything else is in the standard library.

    QUERYBELL_KEY_ID=… QUERYBELL_ITEM=chart:<short id> python open_frame.py
"""

import base64
import json
import os
import time
import urllib.request

from cryptography.hazmat.primitives.serialization import load_pem_private_key


def encode(value: bytes) -> str:
    return base64.urlsafe_b64encode(value).rstrip(b"=").decode()


def sign_token(private_key, key_id: str, claims: dict) -> str:
    """A JWT, signed with Ed25519. Libraries for JWT do the same."""
    now = int(time.time())
    header = {"alg": "EdDSA", "typ": "JWT", "kid": key_id}
    payload = {"aud": "querybell-embed", "iat": now, "exp": now + 3600, **claims}
    text = ".".join(encode(json.dumps(part).encode()) for part in (header, payload))
    return f"{text}.{encode(private_key.sign(text.encode()))}"


def open_frame(base_url: str, token: str) -> str:
    """Exchanges a token for the address of a frame. A refusal raises HTTPError, whose body says why."""
    request = urllib.request.Request(
        f"{base_url}/e", method="POST", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request, timeout=10) as response:
        return json.load(response)["url"]


if __name__ == "__main__":
    with open(os.environ.get("QUERYBELL_PRIVATE_KEY", "querybell.pem"), "rb") as file:
        key = load_pem_private_key(file.read(), password=None)
    kind, item_id = os.environ["QUERYBELL_ITEM"].split(":", 1)
    signed = sign_token(
        key,
        os.environ["QUERYBELL_KEY_ID"],
        {
            "item": {"kind": kind, "id": item_id},
            "locked": json.loads(os.environ.get("QUERYBELL_LOCKED", "{}")),
            "open": json.loads(os.environ.get("QUERYBELL_OPEN", "[]")),
        },
    )
    print(open_frame(os.environ.get("QUERYBELL_URL", "http://localhost:4003"), signed))
