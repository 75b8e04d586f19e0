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
import { meQuery } from "@/api/accounts"
import { onSignInNeeded } from "@/api/errors"
import { fetchRun } from "@/api/queries"
import { HomePage } from "@/features/home/HomePage"
import { AppShell } from "@/features/shell/AppShell"
import { NotFound, PageFailure } from "@/features/shell/PageStates"
import { isAccountPage } from "@/lib/accountPages"
import {
  readAuditSearch,
  readCompareSearch,
  readCreationSearch,
  readExperimentSearch,
  readExperimentsSearch,
  readQueueSearch,
  readSignInSearch,
  readSingleSearch,
  readStudiesSearch,
} from "@/lib/search"

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: AppShell,
  notFoundComponent: NotFound,
  errorComponent: PageFailure,
})

/** The table used to be here: a link with a filter, an order or a group leads there. */
const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  validateSearch: (raw: Record<string, unknown>) => raw,
  beforeLoad: ({ search }) => {
    const group = search.group
    if (typeof group === "number") throw redirect({ to: "/groups/$id", params: { id: group }, replace: true })
    if (Object.keys(search).length > 0)
      throw redirect({ to: "/experiments", search: readExperimentsSearch(search), replace: true })
  },
  component: HomePage,
})

const experimentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/experiments",
  validateSearch: readExperimentsSearch,
  component: lazyRouteComponent(() => import("@/features/experiments/ExperimentsPage"), "ExperimentsPage"),
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

const queueRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/queue",
  validateSearch: readQueueSearch,
  component: lazyRouteComponent(() => import("@/features/queue/QueuePage"), "QueuePage"),
})

const workersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workers",
  component: lazyRouteComponent(() => import("@/features/workers/WorkersPage"), "WorkersPage"),
})

const evaluationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/evaluations",
  validateSearch: readSingleSearch,
  component: lazyRouteComponent(() => import("@/features/evaluations/EvaluationsPage"), "EvaluationsPage"),
})

const environmentChecksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/environment-checks",
  validateSearch: readSingleSearch,
  component: lazyRouteComponent(
    () => import("@/features/environmentChecks/EnvironmentChecksPage"),
    "EnvironmentChecksPage",
  ),
})

const studiesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/studies",
  validateSearch: readStudiesSearch,
  component: lazyRouteComponent(() => import("@/features/studies/StudiesPage"), "StudiesPage"),
})

const compareRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/compare",
  validateSearch: readCompareSearch,
  component: lazyRouteComponent(() => import("@/features/compare/ComparePage"), "ComparePage"),
})

const importRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/import",
  component: lazyRouteComponent(() => import("@/features/lineageImport/ImportPage"), "ImportPage"),
})

const signInRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sign-in",
  validateSearch: readSignInSearch,
  component: lazyRouteComponent(() => import("@/features/account/SignInPage"), "SignInPage"),
})

const LINK_PAGES = () => import("@/features/account/LinkPages")

const firstAdminRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/first-admin",
  component: lazyRouteComponent(LINK_PAGES, "FirstAdminPage"),
})

const invitationRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/invitation",
  component: lazyRouteComponent(LINK_PAGES, "InvitationPage"),
})

const resetPasswordRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/reset-password",
  component: lazyRouteComponent(LINK_PAGES, "ResetPasswordPage"),
})

const settingsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/settings",
  component: lazyRouteComponent(() => import("@/features/settings/SettingsPage"), "SettingsPage"),
})

const settingsStartRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "/",
  beforeLoad: () => {
    throw redirect({ to: "/settings/account" })
  },
})

const accountRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "account",
  component: lazyRouteComponent(() => import("@/features/settings/AccountSection"), "AccountSection"),
})

const tokensRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "tokens",
  component: lazyRouteComponent(() => import("@/features/settings/TokensSection"), "TokensSection"),
})

const peopleRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "people",
  component: lazyRouteComponent(() => import("@/features/settings/PeopleSection"), "PeopleSection"),
})

const projectsRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "projects",
  component: lazyRouteComponent(() => import("@/features/settings/ProjectsSection"), "ProjectsSection"),
})

const projectRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "projects/$id",
  params: { parse: ({ id }) => ({ id: Number(id) }), stringify: ({ id }) => ({ id: String(id) }) },
  component: lazyRouteComponent(() => import("@/features/settings/ProjectSection"), "ProjectSection"),
})

const auditRoute = createRoute({
  getParentRoute: () => settingsRoute,
  path: "audit",
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import("@/features/settings/AuditSection"), "AuditSection"),
})

const routeTree = rootRoute.addChildren([
  homeRoute,
  experimentsRoute,
  creationRoute,
  experimentRoute,
  groupRoute,
  runRoute,
  queueRoute,
  workersRoute,
  studiesRoute,
  evaluationsRoute,
  environmentChecksRoute,
  compareRoute,
  importRoute,
  signInRoute,
  firstAdminRoute,
  invitationRoute,
  resetPasswordRoute,
  settingsRoute.addChildren([
    settingsStartRoute,
    accountRoute,
    tokensRoute,
    peopleRoute,
    projectsRoute,
    projectRoute,
    auditRoute,
  ]),
])

/** With a first address the router lives in memory, as tests need it. */
export function createAppRouter(queryClient: QueryClient, address?: string) {
  const router = createRouter({
    routeTree,
    context: { queryClient },
    history: address === undefined ? undefined : createMemoryHistory({ initialEntries: [address] }),
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: address === undefined,
  })
  onSignInNeeded(() => {
    const { pathname, href } = router.state.location
    if (isAccountPage(pathname)) return
    const ended = queryClient.getQueryData(meQuery.queryKey) !== undefined || undefined
    queryClient.removeQueries({ queryKey: meQuery.queryKey })
    void router.navigate({ to: "/sign-in", search: { next: href, ended }, replace: true })
  })
  return router
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>
  }
}
