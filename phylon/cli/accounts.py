"""Commands about who one is to a service, and about the people, projects and machines of a team."""

import socket
from enum import StrEnum
from typing import Annotated

import typer
from rich.markup import escape

from phylon import credentials
from phylon.cli.console import print_json, print_table, say
from phylon.cli.exits import BadInput, WorkFailed
from phylon.cli.experiments import UrlOption
from phylon.cli.language import JsonOption
from phylon.client import Client
from phylon.contract.accounts import Token
from phylon.contract.vocabulary import Role, Scope
from phylon.errors import ApiError, PhylonUnreachable

ScopeOption = Annotated[
    list[Scope] | None, typer.Option("--scope", help="What the token may do; may be given several times.")
]
DaysOption = Annotated[int, typer.Option(min=1, max=365, help="Until the token expires.")]
DEFAULT_SCOPES = [Scope.READ, Scope.WRITE]


class TokenAction(StrEnum):
    CREATE = "create"
    REVOKE = "revoke"


class PeopleAction(StrEnum):
    INVITE = "invite"
    RESET = "reset"
    DISABLE = "disable"
    ENABLE = "enable"


class ProjectAction(StrEnum):
    CREATE = "create"
    MEMBER = "member"


def login(
    url: Annotated[str, typer.Argument(metavar="URL", help="Address of the service, as people open it.")],
    token: Annotated[
        str | None, typer.Option(help="Use this token instead of an e-mail address and a password.")
    ] = None,
    email: Annotated[str | None, typer.Option(help="Your e-mail address; asked for without it.")] = None,
    scope: ScopeOption = None,
    days: DaysOption = 30,
) -> None:
    """Sign in to a team's service. Commands that name no service mean this one from now on.

    Makes a token for this machine and keeps it in your configuration directory, readable by you alone. A token of an
    admin can do an admin's work only with `--scope admin` as well.

    Example: `phylon login https://phylon.example.org`
    """
    if token is None:
        address = email or typer.prompt("E-mail")
        password = typer.prompt("Password", hide_input=True)
        with Client(url) as client:
            client.sign_in(address, password)
            token = client.create_token(f"login on {socket.gethostname()}", scope or DEFAULT_SCOPES, days).secret
            client.sign_out()
    with Client(url, token=token) as client:
        me = client.me()
        file = credentials.store(client.url, token)
    say(f"signed in as [bold]{escape(me.name)}[/]; the token is in {escape(str(file))}")


def logout(url: UrlOption = None) -> None:
    """Revoke the token that `phylon login` made, and forget it. `phylon tokens` has those of other machines.

    Example: `phylon logout`
    """
    address = credentials.find(url).url
    token = credentials.stored_token(address)
    if token is None:
        say(f"this machine keeps no token for {escape(address)}")
        return
    credentials.forget(address)
    try:
        with Client(address, token=token) as client:
            client.sign_out()
    except (PhylonUnreachable, ApiError) as error:
        raise WorkFailed(
            f"the token is forgotten here, but {address} did not revoke it: {error}. "
            "Revoke it later: sign in and run `phylon tokens`, or use Settings, Tokens on the page"
        ) from None
    say(f"the token for {escape(address)} is revoked and forgotten")


def tokens(
    action: Annotated[TokenAction | None, typer.Argument(help="Without it, list your tokens.")] = None,
    what: Annotated[
        str | None, typer.Argument(metavar="[NAME|ID]", help="What a new token is for, or the number of an old one.")
    ] = None,
    scope: ScopeOption = None,
    days: DaysOption = 30,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List, create or revoke your tokens for scripts; set PHYLON_TOKEN to use one.

    Example: `phylon tokens create nightly --scope read`
    """
    with Client(url) as client:
        match action:
            case None:
                found = client.tokens()
                if json:
                    print_json([token.model_dump(mode="json") for token in found])
                else:
                    print_table(["id", "name", "scopes", "expires", "last used"], map(_token_row, found), right=["id"])
            case TokenAction.CREATE:
                made = client.create_token(_needed(what, "a name"), scope or DEFAULT_SCOPES, days)
                say(f"token {made.id}, shown this once:\n{made.secret}")
            case TokenAction.REVOKE:
                client.revoke_token(_number(what))
                say(f"token {what} is revoked")


def people(
    action: Annotated[PeopleAction | None, typer.Argument(help="Without it, list people.")] = None,
    who: Annotated[
        str | None, typer.Argument(metavar="[EMAIL|ID]", help="E-mail address to invite, or a person's number.")
    ] = None,
    project: Annotated[str | None, typer.Option(help="Project to invite to.")] = None,
    role: Annotated[Role, typer.Option(help="Role in that project.")] = Role.MEMBER,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List the people of a service, invite someone to a project, reset a password, disable or enable an account.

    Example: `phylon people invite ada@example.org --project robots`
    """
    with Client(url) as client:
        match action:
            case None:
                found = client.people()
                if json:
                    print_json([person.model_dump(mode="json") for person in found])
                    return
                rows = [
                    [
                        str(person.id),
                        person.name,
                        person.email,
                        "admin" if person.is_admin else "",
                        "disabled" if person.disabled_at else "",
                    ]
                    for person in found
                ]
                print_table(["id", "name", "e-mail", "service", ""], rows, right=["id"])
            case PeopleAction.INVITE:
                made = client.invite(_needed(who, "an e-mail address"), _needed(project, "--project"), role)
                say(f"give {escape(made.email)} this link; it works once, until {made.expires_at:%Y-%m-%d %H:%M} UTC:")
                say(made.link)
            case PeopleAction.RESET:
                reset = client.create_reset_link(_number(who))
                say(
                    f"give {escape(reset.email)} this link to choose a new password; it works once, until "
                    f"{reset.expires_at:%Y-%m-%d %H:%M} UTC:"
                )
                say(reset.link)
            case PeopleAction.DISABLE | PeopleAction.ENABLE:
                changed = client.change_person(_number(who), is_disabled=action == PeopleAction.DISABLE)
                say(f"{escape(changed.name)} is {action}d")


def projects(
    action: Annotated[ProjectAction | None, typer.Argument(help="Without it, list your projects.")] = None,
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="Name of the project.")] = None,
    email: Annotated[str | None, typer.Option(help="With `member`: who gets the role.")] = None,
    role: Annotated[Role, typer.Option(help="With `member`: which role.")] = Role.MEMBER,
    json: JsonOption = False,
    url: UrlOption = None,
) -> None:
    """List projects, create one, or give someone a role in one.

    Example: `phylon projects member robots --email ada@example.org --role admin`
    """
    with Client(url) as client:
        match action:
            case None:
                found = client.projects()
                if json:
                    print_json([project.model_dump(mode="json") for project in found])
                    return
                rows = [[str(each.id), each.name, each.role or "-", f"{each.weight:g}"] for each in found]
                print_table(["id", "name", "your role", "weight"], rows, right=["id", "weight"])
            case ProjectAction.CREATE:
                say(f"project {client.create_project(_needed(name, 'a name')).id} is there")
            case ProjectAction.MEMBER:
                wanted = _needed(name, "the name of a project")
                numbers = {project.name: project.id for project in client.projects()}
                if wanted not in numbers:
                    raise BadInput(f"there is no project '{wanted}'; yours are {', '.join(numbers) or 'none'}")
                member = client.set_member(numbers[wanted], _needed(email, "--email"), role)
                say(f"{escape(member.name)} is {member.role} of {escape(wanted)}")


def _token_row(token: Token) -> list[str]:
    used = f"{token.last_used_at:%Y-%m-%d %H:%M}" if token.last_used_at else "never"
    return [str(token.id), token.name, ", ".join(token.scopes), f"{token.expires_at:%Y-%m-%d}", used]


def _needed(value: str | None, what: str) -> str:
    if not value:
        raise BadInput(f"this needs {what}")
    return value


def _number(value: str | None) -> int:
    if value is None or not value.isdigit():
        raise BadInput(f"this needs a number, not {value!r}; the list without an action shows them")
    return int(value)
