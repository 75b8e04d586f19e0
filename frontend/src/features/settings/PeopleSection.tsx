import { useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { invitationsQuery, peopleQuery } from "@/api/accounts"
import { useMe } from "@/features/account/useMe"
import { InvitationRow } from "@/features/settings/InvitationRow"
import { InviteForm } from "@/features/settings/InviteForm"
import { PersonRow } from "@/features/settings/PersonRow"
import { Rows } from "@/features/settings/Rows"
import { Field } from "@/ui/Field"
import { Panel } from "@/ui/Panel"

/** So many people fit on a screen; of more, one looks for a name. */
const SEARCHED_FROM = 10

/** Who has an account, and who is invited. */
export function PeopleSection() {
  const me = useMe()
  const people = useQuery(peopleQuery)
  const invitations = useQuery(invitationsQuery)
  const [search, setSearch] = useState("")
  const wanted = search.trim().toLowerCase()
  const found = people.data?.filter(({ name, email }) => `${name} ${email}`.toLowerCase().includes(wanted))
  const count = people.data?.length ?? 0
  return (
    <>
      <InviteForm />
      {invitations.data !== undefined && invitations.data.length > 0 && (
        <Panel flush hint="Not yet accepted" title="Invitations">
          <Rows empty="" icon="people" noun="invitations" query={invitations}>
            {(invitation) => <InvitationRow invitation={invitation} key={invitation.id} />}
          </Rows>
        </Panel>
      )}
      <Panel
        flush
        hint={me?.is_admin ? "Everyone who has an account" : "Those with whom you share a project"}
        title={count === 1 ? "1 person" : `${count || ""} people`.trim()}
      >
        {count >= SEARCHED_FROM && (
          <div className="px-4 pb-3 sm:px-5">
            <Field
              label="Find by name or address"
              onChange={(event) => setSearch(event.target.value)}
              type="search"
              value={search}
            />
          </div>
        )}
        <Rows
          empty={wanted ? `Nobody is called ${search}` : "Nobody yet"}
          icon="people"
          noun="people"
          query={{ ...people, data: found }}
        >
          {(person) => <PersonRow key={person.id} person={person} />}
        </Rows>
      </Panel>
    </>
  )
}
