import { useQueryClient } from "@tanstack/react-query"
import { useRouter } from "@tanstack/react-router"
import { type Me, meQuery } from "@/api/accounts"
import { safeAddress } from "@/lib/accountPages"

/** Goes on to a page once the service has signed somebody in. What an earlier person saw is forgotten. */
export function useEnter(next?: string): (me: Me) => void {
  const queryClient = useQueryClient()
  const router = useRouter()
  return (me) => {
    queryClient.clear()
    queryClient.setQueryData(meQuery.queryKey, me)
    // Replaced, so that the way back does not lead to a form, nor to a link that is used up.
    router.history.replace(safeAddress(next))
  }
}
