/** The pages and their addresses. Every choice that one may want to share or reload is in the address. */

import type { QueryClient } from "@tanstack/react-query"
import {
  createMemoryHistory,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from "@tanstack/react-router"
import { fetchRun } from "@/api/queries"
import { ExperimentsPage } from "@/features/experiments/ExperimentsPage"
import { AppShell } from "@/features/shell/AppShell"
import { NotFound, PageFailure } from "@/features/shell/PageStates"
import {
  readCreationSearch,
  readExperimentSearch,
  readExperimentsSearch,
  readStudiesSearch,
} from "@/lib/search"

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: AppShell,
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
})

const experimentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: readExperimentsSearch,
  component: ExperimentsPage,
})

const creationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/new",
  validateSearch: readCreationSearch,
  component: lazyRouteComponent(() => import("@/features/creation/CreationPage"), "CreationPage"),
})

const experimentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/experiments/$id",
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  validateSearch: readExperimentSearch,
  component: lazyRouteComponent(() => import("@/features/experiment/ExperimentPage"), "ExperimentPage"),
})

const groupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/groups/$id",
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  component: lazyRouteComponent(() => import("@/features/group/GroupPage"), "GroupPage"),
})

/** Logs and the workers' page name a run by its number; its page is that of its experiment. */
const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$id",
  loader: async ({ params }) => {
    const run = await fetchRun(Number(params.id))
    throw redirect({ to: "/experiments/$id", params: { id: run.experiment_id }, search: { run: run.id } })
  },
})

const workersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workers",
  component: lazyRouteComponent(() => import("@/features/workers/WorkersPage"), "WorkersPage"),
})

const studiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/studies",
  validateSearch: readStudiesSearch,
  component: lazyRouteComponent(() => import("@/features/studies/StudiesPage"), "StudiesPage"),
})

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/import",
  component: lazyRouteComponent(() => import("@/features/lineageImport/ImportPage"), "ImportPage"),
})

const routeTree = rootRoute.addChildren([
  experimentsRoute,
  creationRoute,
  experimentRoute,
  groupRoute,
  runRoute,
  workersRoute,
  studiesRoute,
  importRoute,
])

/** With a first address the router lives in memory, as tests need it. */
export function createAppRouter(queryClient: QueryClient, address?: string) {
  return createRouter({
    routeTree,
    context: { queryClient },
    history: address === undefined ? undefined : createMemoryHistory({ initialEntries: [address] }),
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: address === undefined,
  })
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
