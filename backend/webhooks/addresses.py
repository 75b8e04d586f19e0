"""Where a webhook may lead. Its address is written by users, so it must not reach what only this machine can reach.

The name is resolved once, every address that it has is checked, and the connection goes to a checked one: a name that
changes its mind between check and connection gains nothing.
"""

import asyncio
import ipaddress
import socket

from phylon.backend.kit.errors import Invalid


class AddressRefused(Invalid):
    """The webhook leads to a private address, or nowhere."""


async def resolve(host: str, port: int, *, allow_private: bool) -> str:
    """An address of the host that may be called."""
    try:
        found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise AddressRefused(f"The name {host} cannot be resolved ({error}).", "Correct the address.") from None
    addresses = [str(entry[4][0]).partition("%")[0] for entry in found]
    if not allow_private:
        for address in addresses:
            if not is_public(address):
                raise AddressRefused(
                    f"{host} is {address}, which is not an address of the public internet.",
                    "Use a public address, or start the API with PHYLON_WEBHOOK_ALLOW_PRIVATE=1 if its users may call "
                    "machines of the internal network.",
                )
    return addresses[0]


def is_public(address: str) -> bool:
    """Also of the IPv4 address that an IPv6 address may carry."""
    ip = ipaddress.ip_address(address)
    if isinstance(ip, ipaddress.IPv6Address):
        carried = ip.ipv4_mapped or ip.sixtofour or (ip.teredo[1] if ip.teredo else None) or _translated(ip)
        if carried is not None and not is_public(str(carried)):
            return False
    return ip.is_global and not ip.is_multicast


def _translated(ip: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Through a NAT64 gateway."""
    return ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in ipaddress.IPv6Network("64:ff9b::/96") else None
