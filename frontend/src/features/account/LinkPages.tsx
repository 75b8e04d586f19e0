import { LinkPurpose } from "@/api/accounts"
import { acceptInvitation, createFirstAdmin, resetPassword } from "@/api/generated/sdk.gen"
import { AccountFrame } from "@/features/account/AccountFrame"
import { LinkPage } from "@/features/account/LinkPage"
import { PersonForm } from "@/features/account/PersonForm"

/** Opened by the link that a service prints while it has no admin. */
export function FirstAdminPage() {
  return (
    <LinkPage purpose={LinkPurpose.FIRST_ADMIN} title="The first admin">
      {(code) => (
        <AccountFrame
          hint="You will be the admin of this service: you make projects, invite people and enrol workers."
          title="Welcome to Phylon"
        >
          <PersonForm
            action="Create the admin's account"
            email={null}
            named
            send={async (person) =>
              (await createFirstAdmin({ body: { code, ...person }, throwOnError: true })).data
            }
          />
        </AccountFrame>
      )}
    </LinkPage>
  )
}

export function InvitationPage() {
  return (
    <LinkPage purpose={LinkPurpose.INVITATION} title="Invitation">
      {(code, { email, project, role }) => (
        <AccountFrame
          hint={`You are invited to the project ${project} as ${role === "admin" ? "an admin" : `a ${role}`}.`}
          title="Join your team"
        >
          <PersonForm
            action="Accept the invitation"
            email={email}
            named
            send={async ({ name, password }) =>
              (await acceptInvitation({ body: { code, name, password }, throwOnError: true })).data
            }
          />
        </AccountFrame>
      )}
    </LinkPage>
  )
}

export function ResetPasswordPage() {
  return (
    <LinkPage purpose={LinkPurpose.PASSWORD_RESET} title="New password">
      {(code, { email }) => (
        <AccountFrame
          hint="All browsers in which you are signed in must sign in again. Your tokens stay."
          title="Choose a new password"
        >
          <PersonForm
            action="Set the password"
            email={email}
            named={false}
            send={async ({ password }) =>
              (await resetPassword({ body: { code, password }, throwOnError: true })).data
            }
          />
        </AccountFrame>
      )}
    </LinkPage>
  )
}
