"""The signature of a run: who stands for its list of checksums, its verdicts and its commit.

Two files beside the list. `attestation.dsse.json` is an envelope (DSSE) around an in-toto
statement: its subject is the list, which holds the checksum of every file; its predicate says what
the run says.
`SHA256SUMS.sig` is a signature of the list alone, for `ssh-keygen -Y verify`. Neither holds a time,
so that the same run and key give the same bytes.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.audit.findings import Check
from hedgerow.audit.verify_signature import SSH, key_id, opened, public_keys, signed_bytes, verified
from hedgerow.errors import DataError, InputError
from hedgerow.files import check_free, read_csv, read_json, read_text, write_json, write_text
from hedgerow.optional import needed
from hedgerow.reporting.manifest import checksum
from hedgerow.workflow.digest import settings_digest
from hedgerow.workflow.recorded import MANIFEST, SUMS, Recorded

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ATTESTATION = "reports/attestation.dsse.json"
SSH_SIGNATURE = f"{SUMS}.sig"
PAYLOAD = "application/vnd.in-toto+json"
STATEMENT = "https://in-toto.io/Statement/v1"
#: What the predicate holds; a name, and no address: docs/manifest.md says what is in it.
PREDICATE = "urn:x-hedgerow:run:1"
#: What OpenSSH calls signatures of files.
NAMESPACE = "file"
PURPOSE = "signing"
_ARMOUR = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")


def statement(root: Path, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What is signed, from the files of a run."""
    code, claims = manifest["code"], {}
    if (root / "reports/claims.csv").is_file():
        table = read_csv(root / "reports/claims.csv", text=True)
        claims = dict(zip(table["claim"], table["verdict"], strict=True))
    configuration = manifest["configuration"]
    return {
        "_type": STATEMENT,
        "subject": [{"name": SUMS, "digest": {"sha256": checksum(root / SUMS)}}],
        "predicateType": PREDICATE,
        "predicate": {
            "manifest": {"sha256": checksum(root / MANIFEST)},
            "code": {"commit": code["commit"], "changed": code.get("changed", {})},
            "configuration": {
                "name": configuration.get("configuration"),
                "sha256": settings_digest(configuration),
            },
            "claims": claims,
        },
    }


# --------------------------------------------------------------------------------------- signing


def sign(
    root: Path, manifest: Mapping[str, Any], key: Ed25519PrivateKey, force: bool = False
) -> str:
    """Write both signatures of a run; give the name of the key, as `ssh-keygen -l` prints it.

    The caller sees to it that the run is whole.
    """
    public = key.public_key().public_bytes_raw()
    for path, own in ((ATTESTATION, _attested_by), (SSH_SIGNATURE, _ssh_signed_by)):
        if not own(root / path, public):
            check_free(root / path, force, "it is by another key: move it")
    content = statement(root, manifest)
    payload = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    signature = key.sign(signed_bytes(PAYLOAD, payload.encode()))
    envelope = {
        "payloadType": PAYLOAD,
        "payload": _text(payload.encode()),
        "signatures": [{"keyid": key_id(public), "sig": _text(signature)}],
    }
    write_json(root / ATTESTATION, envelope)
    write_text(root / SSH_SIGNATURE, ssh_signature((root / SUMS).read_bytes(), key))
    return key_id(public)


def _attested_by(path: Path, public: bytes) -> bool:
    """Whether a file is an attestation, of this run or another one, by this key alone."""
    try:
        envelope = read_json(path)
        opened(envelope, [public])
        return len(envelope["signatures"]) == 1
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, DataError):
        return False


def _ssh_signed_by(path: Path, public: bytes) -> bool:
    """Whether a file says of itself that it is a signature by this key."""
    try:
        return _ssh_blob(read_text(path)).startswith(_ssh_head(public))
    except (ValueError, DataError):
        return False


def ssh_signature(message: bytes, key: Ed25519PrivateKey) -> str:
    """A signature as `ssh-keygen -Y sign -n file` makes it (OpenSSH, PROTOCOL.sshsig)."""
    signature = _string(b"ssh-ed25519") + _string(key.sign(_ssh_message(message)))
    blob = _ssh_head(key.public_key().public_bytes_raw())
    blob += _string(NAMESPACE.encode()) + _string(b"") + _string(b"sha512") + _string(signature)
    text = _text(blob)
    lines = [text[i : i + 70] for i in range(0, len(text), 70)]
    return "\n".join([_ARMOUR[0], *lines, _ARMOUR[1], ""])


def ssh_verified(message: bytes, text: str, keys: Sequence[bytes]) -> bool:
    """Whether such a signature is one of a message, by one of some keys."""
    try:
        blob = _ssh_blob(text)
    except ValueError:
        return False
    for key in keys:
        head = _ssh_head(key)
        head += _string(NAMESPACE.encode()) + _string(b"") + _string(b"sha512")
        head += struct.pack(">I", 83) + _string(b"ssh-ed25519") + struct.pack(">I", 64)
        if blob.startswith(head) and verified(key, _ssh_message(message), blob[len(head) :]):
            return True
    return False


def _ssh_blob(text: str) -> bytes:
    return base64.b64decode("".join(text.split("\n")[1:-2]), validate=True)


def _ssh_head(public: bytes) -> bytes:
    return b"SSHSIG" + struct.pack(">I", 1) + _string(SSH + public)


def _ssh_message(message: bytes) -> bytes:
    digest = hashlib.sha512(message).digest()
    parts = _string(NAMESPACE.encode()) + _string(b"") + _string(b"sha512") + _string(digest)
    return b"SSHSIG" + parts


def _string(content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + content


def _text(content: bytes) -> str:
    return base64.b64encode(content).decode()


# ------------------------------------------------------------------------------------------ keys


def new_key(path: Path, root: Path) -> str:
    """Write a new key, for its owner alone, and its public half beside it; give its name."""
    if path.resolve().is_relative_to(root.resolve()):
        raise InputError(
            f"{path} lies in the folder of the project, where keys get into archives and commits",
            remedy="name a place outside of it, such as ~/.ssh/hedgerow",
        )
    public = path.with_name(f"{path.name}.pub")
    for file in (path, public):
        check_free(file)
    ed25519 = needed("cryptography.hazmat.primitives.asymmetric.ed25519", PURPOSE)
    forms = needed("cryptography.hazmat.primitives.serialization", PURPOSE)
    key = ed25519.Ed25519PrivateKey.generate()
    secret = key.private_bytes(
        forms.Encoding.PEM, forms.PrivateFormat.OpenSSH, forms.NoEncryption()
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    # For the owner alone from the first byte on, and never over a file.
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    line = key.public_key().public_bytes(forms.Encoding.OpenSSH, forms.PublicFormat.OpenSSH)
    write_text(public, f"{line.decode()} hedgerow\n")
    return key_id(key.public_key().public_bytes_raw())


def private_key(path: Path, ask: Callable[[], str]) -> Ed25519PrivateKey:
    """An Ed25519 key from a file of ssh-keygen or in PEM; `ask` gives its passphrase."""
    if not path.is_file():
        raise DataError(
            f"there is no key {path}", remedy="`hedgerow sign --new-key FILE` makes one"
        )
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise InputError(f"others may read the key {path}", remedy=f"call `chmod 600 {path}`")
    ed25519 = needed("cryptography.hazmat.primitives.asymmetric.ed25519", PURPOSE)
    forms = needed("cryptography.hazmat.primitives.serialization", PURPOSE)
    content = path.read_bytes()
    ssh = b"BEGIN OPENSSH PRIVATE KEY" in content
    load = forms.load_ssh_private_key if ssh else forms.load_pem_private_key
    try:
        try:
            key = load(content, None)
        except TypeError:  # it has a passphrase
            key = load(content, ask().encode())
    except Exception as error:
        # The library has many errors for a file that is none, or a passphrase that does not fit.
        raise DataError(
            f"{path} is no key that can be read ({error or type(error).__name__})",
            remedy="give an Ed25519 key as `ssh-keygen -t ed25519` or `--new-key` writes it",
        ) from error
    if not isinstance(key, ed25519.Ed25519PrivateKey):
        raise DataError(f"{path} is no Ed25519 key", remedy="`ssh-keygen -t ed25519` makes one")
    return key


def read_public_keys(path: Path) -> list[bytes]:
    """The public keys in a file: lines of ssh-keygen (also a list of them), or PEM."""
    found = public_keys(read_text(path))
    if not found:
        raise DataError(
            f"{path} holds no public Ed25519 key",
            remedy="give the file that ends with .pub, or one as `openssl pkey -pubout` writes it",
        )
    return found


# -------------------------------------------------------------------------------------- checking


def check_signature(
    root: Path, known: Recorded, keys: Sequence[bytes] | None = None
) -> list[Check]:
    """Whether a run is signed, by one of some keys, and whether it is this run that was signed.

    keys: without them a signature is told and counts for nothing, unless it is damaged.
    """
    name = "signature"
    if not (root / ATTESTATION).is_file():
        asked = Check(name, False, ["There is none: `hedgerow sign` makes one."])
        return [] if keys is None else [asked]
    try:
        envelope = read_json(root / ATTESTATION)
        named = ", ".join(str(one["keyid"]) for one in envelope["signatures"])
        if keys is None:
            payload, by = base64.b64decode(envelope["payload"], validate=True), None
        else:
            payload, by = opened(envelope, keys)
        told = json.loads(payload)
        unlike = _unlike(told, statement(root, known.manifest or {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, DataError) as error:
        return [Check(name, False, [f"{ATTESTATION}: {error}."])]
    if by is None:
        said = [f"By key {named}; not checked: give its public half (--key)."]
    else:
        said = [f"Valid, by key {key_id(by)}."]
    if unlike:
        said.append(f"It is of another run ({', '.join(unlike)} differ): `hedgerow sign` again.")
    elif by is not None and (root / SSH_SIGNATURE).is_file():
        text = read_text(root / SSH_SIGNATURE)
        if not ssh_verified((root / SUMS).read_bytes(), text, keys):
            return [Check(name, False, [*said, f"{SSH_SIGNATURE} is none of these keys."])]
    return [Check(name, None if by is None else not unlike, said)]


def _unlike(told: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """Parts of a statement that are not as the files say."""
    parts = {"the list of checksums": told.get("subject") == now["subject"]}
    for name, what in now["predicate"].items():
        parts[name] = told.get("predicate", {}).get(name) == what
    parts["type"] = all(told.get(key) == now[key] for key in ("_type", "predicateType"))
    return [name for name, same in parts.items() if not same]
