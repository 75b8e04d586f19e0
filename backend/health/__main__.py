"""Exits 0 when the API answers and its database is reachable; for container health checks."""

import os
import sys

import httpx


def main() -> int:
    url = os.environ.get("PHYLON_API_URL", "http://127.0.0.1:8787")
    try:
        answer = httpx.get(f"{url}/api/v1/health", timeout=4)
    except httpx.HTTPError as error:
        print(f"{url} does not answer: {error}", file=sys.stderr)
        return 1
    print(answer.text)
    return 0 if answer.is_success else 1


if __name__ == "__main__":
    sys.exit(main())
