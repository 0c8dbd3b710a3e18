"""Check the signature of a run with Python alone: no library, and nothing of hedgerow.

    python verify_signature.py reports/attestation.dsse.json KEY.pub reports/SHA256SUMS

KEY.pub is the public key as ssh-keygen or openssl writes it. The script checks the signature, says
what was signed (commit, configuration, verdicts), and compares the list of checksums, where it is
named, with the signed one. Exit status: 0 if all of it holds, 1 if not. What `sha256sum -c` says of
the list afterwards is said of the signed run.

It is short so that it can be read. Two texts are all that it follows: RFC 8032 (Ed25519, section
5.1) and the envelope DSSE, which signs `DSSEv1 <length> <type> <length> <payload>`.
"""

import base64
import binascii
import hashlib
import json
import sys

# ------------------------------------------------------------------- Ed25519, RFC 8032, section 5.1

P = 2**255 - 19  # the field
L = 2**252 + 27742317777372353535851937790883648493  # order of the base point
D = -121665 * pow(121666, -1, P) % P  # of the curve -x^2 + y^2 = 1 + D x^2 y^2
ROOT = pow(2, (P - 1) // 4, P)  # a square root of -1
# Points are (X, Y, Z, T) with x = X/Z, y = Y/Z and x y = T/Z.
NEUTRAL = (0, 1, 1, 0)


def add(p, q):
    """The sum of two points (5.1.4); it holds for equal ones, too."""
    a = (p[1] - p[0]) * (q[1] - q[0]) % P
    b = (p[1] + p[0]) * (q[1] + q[0]) % P
    c = 2 * p[3] * q[3] * D % P
    d = 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(number, point):
    """A multiple of a point."""
    total = NEUTRAL
    while number:
        if number & 1:
            total = add(total, point)
        point, number = add(point, point), number >> 1
    return total


def same(p, q):
    """Whether two points are one."""
    return (p[0] * q[2] - q[0] * p[2]) % P == 0 and (p[1] * q[2] - q[1] * p[2]) % P == 0


def decoded(text):
    """The point of 32 bytes (5.1.3); None if there is none, or another encoding is right."""
    number = int.from_bytes(text, "little")
    sign, y = number >> 255, number & (2**255 - 1)
    if y >= P:
        return None
    u, v = (y * y - 1) % P, (D * y * y + 1) % P  # x^2 = u / v
    x = u * v**3 * pow(u * v**7, (P - 5) // 8, P) % P
    if (v * x * x - u) % P:
        x = x * ROOT % P
    if (v * x * x - u) % P or (x == 0 and sign):
        return None
    x = P - x if x % 2 != sign else x
    return (x, y, 1, x * y % P)


BASE = decoded((4 * pow(5, -1, P) % P).to_bytes(32, "little"))


def verified(key, message, signature):
    """Whether 64 bytes are the signature of a message under a public key of 32 bytes (5.1.7).

    Keys and points of small order are refused: under such a key one signature fits every message.
    """
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r = decoded(key), decoded(signature[:32])
    s = int.from_bytes(signature[32:], "little")
    # s + L would be a second signature of the same message.
    if a is None or r is None or s >= L:
        return False
    if same(times(8, a), NEUTRAL) or same(times(8, r), NEUTRAL):
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % L
    return same(times(s, BASE), add(r, times(k, a)))


# ------------------------------------------------------------------------------ keys and envelopes

#: What stands before the 32 bytes of a public key, in the forms of openssl (DER) and OpenSSH.
DER = bytes.fromhex("302a300506032b6570032100")
SSH = b"\0\0\0\x0bssh-ed25519\0\0\0\x20"


def public_keys(text):
    """Every Ed25519 key in a text: lines as of ssh-keygen, or a PEM block as of openssl."""
    words = [text.split("-----")[2]] if "-----BEGIN PUBLIC KEY-----" in text else text.split()
    found = []
    for word in words:
        try:
            content = base64.b64decode("".join(word.split()), validate=True)
        except (ValueError, binascii.Error):
            continue
        for head in (DER, SSH):
            if content.startswith(head) and len(content) == len(head) + 32:
                found.append(content[len(head) :])
    return found


def key_id(key):
    """Name of a key, as `ssh-keygen -l` prints it."""
    digest = base64.b64encode(hashlib.sha256(SSH + key).digest()).decode()
    return "SHA256:" + digest.rstrip("=")


def signed_bytes(kind, payload):
    """What a DSSE envelope signs."""
    return b"DSSEv1 %d %s %d %s" % (len(kind.encode()), kind.encode(), len(payload), payload)


def opened(envelope, keys):
    """The payload of an envelope and the key that signed it; a ValueError if none of them did."""
    payload = base64.b64decode(envelope["payload"], validate=True)
    message = signed_bytes(envelope["payloadType"], payload)
    for signature in envelope["signatures"]:
        for key in keys:
            if verified(key, message, base64.b64decode(signature["sig"], validate=True)):
                return payload, key
    raise ValueError("the signature is of none of the keys given")


def main(arguments):
    """Check what the command line names."""
    if len(arguments) not in (2, 3):
        print(__doc__)
        return 1
    with open(arguments[0], encoding="utf-8") as file:
        envelope = json.load(file)
    with open(arguments[1], encoding="utf-8") as file:
        keys = public_keys(file.read())
    try:
        payload, key = opened(envelope, keys)
        statement = json.loads(payload)
        (subject,) = statement["subject"]
        told = statement["predicate"]
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        print("NOT VALID:", error)
        return 1
    print("signature: valid, by", key_id(key))
    print("signed:", subject["name"], subject["digest"]["sha256"])
    print("commit:", told["code"]["commit"], "with changes" * bool(told["code"]["changed"]))
    print("configuration:", told["configuration"]["name"])
    for claim, verdict in told["claims"].items():
        print(f"  {claim}: {verdict}")
    if len(arguments) == 3:
        with open(arguments[2], "rb") as file:
            here = hashlib.sha256(file.read()).hexdigest()
        if here != subject["digest"]["sha256"]:
            print("NOT THE SIGNED LIST:", arguments[2], here)
            return 1
        print(arguments[2], "is the signed list; `sha256sum -c` compares the files with it")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
