import { useQuery } from "@tanstack/react-query"
import { Link, useLocation } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { type LinkPurpose, linkQuery } from "@/api/accounts"
import { ApiError } from "@/api/errors"
import type { OneTimeLink } from "@/api/generated/types.gen"
import { AccountFrame } from "@/features/account/AccountFrame"
import { codeOf } from "@/lib/accountPages"
import { buttonStyle } from "@/ui/Button"
import { Empty, Failure, Loading } from "@/ui/States"

interface LinkPageProps {
  purpose: LinkPurpose
  title: string
  children: (code: string, link: OneTimeLink) => ReactNode
}

/** What a one-time link opens: a form while it counts, and what to do when it does not. */
export function LinkPage({ purpose, title, children }: LinkPageProps) {
  const code = codeOf(useLocation({ select: ({ hash }) => hash }))
  const link = useQuery(linkQuery(purpose, code))
  if (link.data) return children(code, link.data)
  const refused = link.error instanceof ApiError && link.error.status === 403 ? link.error : null
  return (
    <AccountFrame title={title}>
      {code === "" && (
        <Unusable remedy="Open it exactly as it was given to you, with all that stands behind #.">
          The link is incomplete
        </Unusable>
      )}
      {code !== "" && link.isPending && <Loading className="px-0" label="Checking the link" />}
      {refused && <Unusable remedy={refused.remedy}>This link was used already, or has expired</Unusable>}
      {link.isError && !refused && (
        <Failure error={link.error} onRetry={() => link.refetch()} title="The link could not be checked" />
      )}
    </AccountFrame>
  )
}

function Unusable({ children, remedy }: { children: string; remedy: string | null }) {
  return (
    <div role="alert">
      <Empty
        action={
          <Link className={buttonStyle("secondary")} to="/sign-in">
            Sign in
          </Link>
        }
        compact
        icon="lock"
        title={children}
      >
        {remedy}
      </Empty>
    </div>
  )
}
