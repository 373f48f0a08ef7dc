"""Checks of listener certificates (expiry, matching key), and self-signed ones for trying."""

import ipaddress
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

# So long before its end an operator is told: a month's round finds it.
SOON: Final = timedelta(days=30)
# The clock of a device may be behind ours.
BEFORE: Final = timedelta(days=1)


class MadeCertificate(NamedTuple):
    """A self-signed certificate.

    cert, key: in PEM. fingerprint: SHA-256 of the certificate, as browsers show it.
    """

    cert: str
    key: str
    fingerprint: str


def self_signed(hosts: Sequence[str], days: int, now_ms: int) -> MadeCertificate:
    """Makes a self-signed certificate for these names and addresses."""
    key, now = ec.generate_private_key(ec.SECP256R1()), datetime.fromtimestamp(now_ms / 1000, UTC)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, hosts[0])])
    builder = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - BEFORE)
        .not_valid_after(now + timedelta(days=days))
        .add_extension(x509.SubjectAlternativeName([_name(host) for host in hosts]), critical=False)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
    )
    made = builder.sign(key, hashes.SHA256())
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    digest = sha256(made.public_bytes(serialization.Encoding.DER)).hexdigest()
    return MadeCertificate(made.public_bytes(serialization.Encoding.PEM).decode(), private.decode(), digest)


def ends_ms(cert: Path) -> int:
    """When the first certificate in the file ends, unix milliseconds. Raises OSError, ValueError."""
    found = x509.load_pem_x509_certificate(cert.read_bytes())
    return int(found.not_valid_after_utc.timestamp() * 1000)


def unfit(cert: Path, key: Path) -> str | None:
    """Why no listener can use this certificate and key; None where it can."""
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key)
        ends_ms(cert)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", None) or error
        return f"{cert} and {key} are no certificate and its key in PEM form ({reason})"
    return None


def ending(cert: Path, now_ms: int) -> str | None:
    """A sentence where the certificate has ended, or ends soon. Raises as `ends_ms`."""
    end, now = (datetime.fromtimestamp(ms / 1000, UTC) for ms in (ends_ms(cert), now_ms))
    if end <= now:
        return f"{cert} ended on {end:%Y-%m-%d}: browsers and devices refuse it"
    if end - now <= SOON:
        return f"{cert} ends on {end:%Y-%m-%d}: replace it in time; the server takes it as it runs"
    return None


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
