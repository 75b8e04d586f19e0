import { queryOptions } from "@tanstack/react-query"
import { getControls } from "@/api/generated/sdk.gen"

/** What the controls of a run's tuning say, or whether there can be any. */
export function controlsQuery(run: number) {
  return queryOptions({
    queryKey: ["runs", run, "controls"],
    queryFn: async ({ signal }) =>
      (await getControls({ throwOnError: true, signal, path: { id: run } })).data,
    refetchInterval: ({ state }) => (state.data?.newest?.is_over === false ? 10_000 : false),
  })
}
