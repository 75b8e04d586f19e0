"""What can go wrong when talking to the service.

PhylonError
├── PhylonUnreachable    nothing answers at the address
└── ApiError             the service answered with a problem document: `status`, `type`, `detail`, `remedy`
    └── NotFound         404
SpecInvalid (phylon.spec)   a spec was refused, here or by the service: `problems`
"""


class PhylonError(Exception):
    """Base of all errors of the client."""


class PhylonUnreachable(PhylonError):
    def __init__(self, url: str, reason: str) -> None:
        self.url = url
        super().__init__(
            f"no Phylon service answers at {url} ({reason}); "
            "start it with `phylon up`, or set PHYLON_API_URL to its address"
        )


class ApiError(PhylonError):
    def __init__(self, status: int, detail: str, remedy: str | None, type: str = "about:blank") -> None:
        self.status = status
        self.detail = detail
        self.remedy = remedy
        self.type = type
        """Names the kind of problem, such as `/problems/run-not-active`."""
        super().__init__(f"{detail} {remedy}" if remedy else detail)


class NotFound(ApiError):
    """There is no such experiment, run or file."""
