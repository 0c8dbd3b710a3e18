"""The verifier in plain Python: vectors of RFC 8032, a library, and signatures that are spoilt."""

from __future__ import annotations

import base64
import random
import subprocess
import sys

import pytest

from hedgerow.audit import verify_signature as plain

#: RFC 8032, section 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9"
        "b46bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f1"
        "1d8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984d"
        "c6594a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3fe"
        "ebbd454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431"
        "e0303dca179c138ac17ad9bef1177331a704",
    ),
]


def vector(number):
    return [bytes.fromhex(text) for text in VECTORS[number]]


def encoded(y, sign=0):
    return (y | sign << 255).to_bytes(32, "little")


@pytest.mark.parametrize("number", range(len(VECTORS)))
def test_vectors_of_the_rfc(number):
    key, message, signature = vector(number)
    assert plain.verified(key, message, signature)
    assert not plain.verified(key, message + b"x", signature)


def test_a_spoilt_bit_anywhere_is_found():
    key, message, signature = vector(2)
    generator = random.Random(1)
    for part, content in (("key", key), ("signature", signature)):
        for bit in generator.sample(range(8 * len(content)), 40):
            spoilt = bytearray(content)
            spoilt[bit // 8] ^= 1 << bit % 8
            given = (bytes(spoilt), message, signature)
            given = given if part == "key" else (key, message, bytes(spoilt))
            assert not plain.verified(*given), (part, bit)


def test_a_second_encoding_of_a_signature_is_none():
    """With s + L every signature would have a twin."""
    key, message, signature = vector(0)
    s = int.from_bytes(signature[32:], "little")
    twin = signature[:32] + (s + plain.L).to_bytes(32, "little")
    assert not plain.verified(key, message, twin)
    assert not plain.verified(key, message, signature + b"\0")
    assert not plain.verified(key[:-1], message, signature)


def test_keys_and_points_of_small_order_are_refused():
    """Under the neutral element as a key, s = 0 and R = the neutral element fit every message."""
    for y, sign in ((1, 0), (plain.P - 1, 0), (0, 0), (0, 1)):
        point = encoded(y, sign)
        assert plain.decoded(point) is not None
        assert not plain.verified(point, b"any", point + bytes(32))
        assert not plain.verified(point, b"any", encoded(1) + bytes(32))
    key, message, signature = vector(1)
    assert not plain.verified(key, message, encoded(1) + signature[32:])


@pytest.mark.parametrize(
    "text", [encoded(plain.P), encoded(plain.P + 1), encoded(1, 1), encoded(2)]
)
def test_what_encodes_no_point_or_not_the_shortest_way(text):
    """y of the field's size and above, -0, and a y without an x."""
    assert plain.decoded(text) is None


def test_it_agrees_with_a_library():
    ed25519 = pytest.importorskip("cryptography.hazmat.primitives.asymmetric.ed25519")
    raw = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    from cryptography.exceptions import InvalidSignature

    generator = random.Random(2)
    for _ in range(20):
        secret = ed25519.Ed25519PrivateKey.from_private_bytes(generator.randbytes(32))
        public = secret.public_key()
        key = public.public_bytes(raw.Encoding.Raw, raw.PublicFormat.Raw)
        message = generator.randbytes(generator.randrange(200))
        signature = bytearray(secret.sign(message))
        assert plain.verified(key, message, bytes(signature))
        signature[generator.randrange(64)] ^= 1 << generator.randrange(8)
        with pytest.raises(InvalidSignature):
            public.verify(bytes(signature), message)
        assert not plain.verified(key, message, bytes(signature))
        for text in (
            public.public_bytes(raw.Encoding.OpenSSH, raw.PublicFormat.OpenSSH),
            public.public_bytes(raw.Encoding.PEM, raw.PublicFormat.SubjectPublicKeyInfo),
        ):
            assert plain.public_keys(text.decode() + " a comment\n") == [key]


def test_texts_without_a_key():
    for text in (
        "",
        "ssh-ed25519 AAAA me",
        "-----BEGIN PUBLIC KEY-----\nabc\n-----END",
        "ssh-rsa A",
    ):
        assert plain.public_keys(text) == []
    short = base64.b64encode(plain.SSH + bytes(31)).decode()
    assert plain.public_keys(f"ssh-ed25519 {short}") == []


def test_it_is_a_script_that_imports_nothing_of_ours(tmp_path):
    """An auditor copies the one file."""
    copy = tmp_path / "verify_signature.py"
    with open(plain.__file__, encoding="utf-8") as file:
        copy.write_text(file.read())
    done = subprocess.run(
        [sys.executable, "-I", "-S", copy], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 1 and "RFC 8032" in done.stdout, done.stderr
