import { type FetchQueryOptions, focusManager, type QueryClient, type QueryKey } from '@tanstack/react-query';
import {
  type AsyncRouteComponent,
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  type RouteComponent,
  redirect,
} from '@tanstack/react-router';
import { clinicsQuery } from './clinics/requests.ts';
import { deliveriesQuery, deliveryQuery } from './deliveries/requests.ts';
import { DELIVERY_FILTERS, type DeliverySearch } from './deliveries/search.ts';
import { eventQuery, eventsQuery } from './events/requests.ts';
import { EVENT_FILTERS, type EventSearch } from './events/search.ts';
import { FailedPage } from './layout/FailedPage.tsx';
import { ForbiddenPage } from './layout/ForbiddenPage.tsx';
import { MissingPage } from './layout/MissingPage.tsx';
import { PendingPage } from './layout/PendingPage.tsx';
import { PendingShell } from './layout/PendingShell.tsx';
import { serviceStatusQuery } from './layout/service-status.ts';
import { noticeSettingsQuery, noticesQuery } from './notices/requests.ts';
import { auditQuery } from './pages/audit/requests.ts';
import { AUDIT_FILTERS, type AuditSearch, SEEN_FILTERS } from './pages/audit/search.ts';
import { connectionsQuery } from './pages/connections/requests.ts';
import { securityChangesQuery } from './pages/overview/requests.ts';
import { recordsQuery } from './pages/records/requests.ts';
import { isEverybody, RECORD_FILTERS, type RecordSearch } from './pages/records/search.ts';
import { SCHEDULE_FILTERS, type ScheduleSearch } from './pages/schedule/search.ts';
import { TODAY_FILTERS, type TodaySearch } from './pages/today/search.ts';
import { sessionsQuery } from './pages/tokens/requests.ts';
import { keysQuery, operatorsQuery, programTokensQuery } from './principals/requests.ts';
import { isKind } from './records/kinds.ts';
import { recordQuery } from './records/record.ts';
import { plainQuery, searchOf } from './search.ts';
import { type Role, sessionQuery, useSession } from './session/session.ts';
import { FactorDialog } from './sign-in/FactorDialog.tsx';
import { SignInPage } from './sign-in/SignInPage.tsx';
import { statisticsQuery } from './statistics/requests.ts';
import { subscriptionQuery, subscriptionsQuery } from './subscriptions/requests.ts';

type Context = { queries: QueryClient };

const Root = () => (
  <>
    <Outlet />
    <FactorDialog />
  </>
);

const root = createRootRouteWithContext<Context>()({ component: Root });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchOf(['next']),
  component: SignInPage,
});

/**
 * The page for an operator whose password somebody else has set. The operator must choose another password before
 * opening other pages. It leads to the page that was asked for.
 */
const firstPassword = createRoute({
  getParentRoute: () => root,
  path: '/first-password',
  validateSearch: searchOf(['next']),
  component: lazyRouteComponent(() => import('./pages/account/FirstPasswordPage.tsx'), 'FirstPasswordPage'),
});

/** The page for an operator whose organization requires a factor, and who has none. It leads to the page that was asked for. */
const firstFactor = createRoute({
  getParentRoute: () => root,
  path: '/first-factor',
  validateSearch: searchOf(['next']),
  component: lazyRouteComponent(() => import('./pages/account/FirstFactorPage.tsx'), 'FirstFactorPage'),
});

/** The pages that mailed links lead to. The secret of a link is the fragment of the address. */
const invitation = createRoute({
  getParentRoute: () => root,
  path: '/invitation',
  component: lazyRouteComponent(() => import('./sign-in/InvitationPage.tsx'), 'InvitationPage'),
});

const passwordReset = createRoute({
  getParentRoute: () => root,
  path: '/password-reset',
  component: lazyRouteComponent(() => import('./sign-in/PasswordResetPage.tsx'), 'PasswordResetPage'),
});

type Opening = { context: Context; location: { href: string }; preload: boolean };

/** Redirects to the page that must come first, if the session does not open others. */
const withSession = async ({ context, location, preload }: Opening) => {
  // The sign-out takes the focus. Its menu has closed, and the pointer may lie on a link.
  if (preload && !focusManager.isFocused()) throw redirect({ to: '/sign-in' });
  const found = await context.queries.ensureQueryData(sessionQuery);
  if (found.state === 'mustChangePassword')
    throw redirect({ to: '/first-password', search: { next: location.href } });
  if (found.state === 'signedOut') throw redirect({ to: '/sign-in', search: { next: location.href } });
  if (found.session.factorRequired) throw redirect({ to: '/first-factor', search: { next: location.href } });
  // Many pages show names of clinics, and these rarely change.
  void context.queries.prefetchQuery(clinicsQuery);
  return { role: found.session.role };
};

/**
 * The parent of the pages for signed-in operators. Without a session, it redirects to the sign-in page, which returns
 * to the page afterwards.
 */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./layout/Shell.tsx'), 'Shell'),
  errorComponent: FailedPage,
  pendingComponent: PendingShell,
  beforeLoad: withSession,
});

/** The parent of the pages for signed-in operators that are no pages of the dashboard, and have no frame. */
const alone = createRoute({
  getParentRoute: () => root,
  id: 'alone',
  component: lazyRouteComponent(() => import('./layout/Alone.tsx'), 'Alone'),
  errorComponent: FailedPage,
  pendingComponent: PendingPage,
  beforeLoad: withSession,
});

/** Returns a page that only administrators may see. Staff see the page `ForbiddenPage` instead. */
const forAdministrators = (Page: AsyncRouteComponent<object>) => {
  const Guarded: RouteComponent = () =>
    useSession().role === 'administrator' ? <Page /> : <ForbiddenPage />;
  return Object.assign(Guarded, Page.preload && { preload: Page.preload });
};

/**
 * Begins the request of a page for administrators while its code is loaded. This happens when the pointer is on its
 * link, when the link has the focus, or when the page is opened. The page shows a failure.
 */
const prefetch = ({ role }: { role: Role }, start: () => Promise<void>): void => {
  if (role === 'administrator') void start();
};

/** Begins the request of records or events only when their page is opened, because reads leave audit entries. */
const read = <T, K extends QueryKey>(
  { queries }: Context,
  preload: boolean,
  query: FetchQueryOptions<T, Error, T, K>,
): void => {
  if (!preload) void queries.prefetchQuery(query);
};

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: searchOf(['clinicId']),
  beforeLoad({ context }: { context: { role: Role } }) {
    if (context.role !== 'administrator') throw redirect({ to: '/today', search: {}, replace: true });
  },
  loaderDeps: ({ search }: { search: { clinicId?: string | undefined } }) => search,
  loader: ({ context, deps: { clinicId } }) =>
    prefetch(context, async () => {
      await Promise.all([
        context.queries.prefetchQuery(subscriptionsQuery),
        context.queries.prefetchQuery(serviceStatusQuery),
        context.queries.prefetchQuery(programTokensQuery),
        context.queries.prefetchQuery(statisticsQuery('day', clinicId === undefined ? {} : { clinicId })),
        // These requests come last, because a browser sends only six requests at a time over HTTP/1.1, and their results
        // are shown at the end of the page.
        context.queries.prefetchQuery(noticesQuery),
        context.queries.prefetchQuery(securityChangesQuery),
      ]);
    }),
  component: lazyRouteComponent(() => import('./pages/overview/OverviewPage.tsx'), 'OverviewPage'),
});

/** The start page of staff. */
const today = createRoute({
  getParentRoute: () => signedIn,
  path: '/today',
  validateSearch: searchOf(TODAY_FILTERS),
  // The page reads its day itself, because the zone of the clinic decides when it begins.
  component: lazyRouteComponent(() => import('./pages/today/TodayPage.tsx'), 'TodayPage'),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  validateSearch: searchOf(['clinicId', 'state']),
  loader: ({ context }) => prefetch(context, () => context.queries.prefetchQuery(subscriptionsQuery)),
  component: forAdministrators(
    lazyRouteComponent(() => import('./pages/webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  ),
});

const subscription = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$subscriptionId',
  loader: ({ context, params }) =>
    prefetch(context, () => context.queries.prefetchQuery(subscriptionQuery(params.subscriptionId))),
  validateSearch: searchOf(['tab', 'outcome', 'cause', 'cursor']),
  component: forAdministrators(
    lazyRouteComponent(() => import('./pages/webhooks/SubscriptionPage.tsx'), 'SubscriptionPage'),
  ),
});

const deliveries = createRoute({
  getParentRoute: () => signedIn,
  path: '/deliveries',
  validateSearch: searchOf(DELIVERY_FILTERS),
  loaderDeps: ({ search }: { search: DeliverySearch }) => search,
  loader: ({ context, deps }) =>
    prefetch(context, async () => {
      await Promise.all([
        context.queries.prefetchQuery(deliveriesQuery(deps)),
        context.queries.prefetchQuery(subscriptionsQuery),
      ]);
    }),
  component: forAdministrators(
    lazyRouteComponent(() => import('./pages/deliveries/DeliveriesPage.tsx'), 'DeliveriesPage'),
  ),
});

const delivery = createRoute({
  getParentRoute: () => signedIn,
  path: '/deliveries/$deliveryId',
  loader: ({ context, params }) =>
    prefetch(context, () => context.queries.prefetchQuery(deliveryQuery(params.deliveryId))),
  component: forAdministrators(
    lazyRouteComponent(() => import('./pages/deliveries/DeliveryPage.tsx'), 'DeliveryPage'),
  ),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: '/events',
  validateSearch: searchOf(EVENT_FILTERS),
  loaderDeps: ({ search }: { search: EventSearch }) => search,
  loader: ({ context, deps, preload }) => read(context, preload, eventsQuery(deps)),
  component: lazyRouteComponent(() => import('./pages/events/EventsPage.tsx'), 'EventsPage'),
});

const event = createRoute({
  getParentRoute: () => signedIn,
  path: '/events/$eventId',
  loader: ({ context, params, preload }) => read(context, preload, eventQuery(params.eventId)),
  component: lazyRouteComponent(() => import('./pages/events/EventPage.tsx'), 'EventPage'),
});

/** The target of the entry for records in the navigation. The entry is marked as current for every kind of record. */
const records = createRoute({
  getParentRoute: () => signedIn,
  path: '/records',
  beforeLoad() {
    throw redirect({ to: '/records/$kind', params: { kind: 'patients' }, search: {}, replace: true });
  },
});

const recordsOfKind = createRoute({
  getParentRoute: () => signedIn,
  path: '/records/$kind',
  validateSearch: searchOf([...RECORD_FILTERS, 'day']),
  beforeLoad({ params, search }: { params: { kind: string }; search: TodaySearch }) {
    const { day, clinicId } = search;
    // Addresses of a day of appointments, from before the page Today.
    if (params.kind === 'appointments' && day !== undefined)
      throw redirect({ to: '/today', search: { day, clinicId }, replace: true });
  },
  loaderDeps: ({ search }: { search: RecordSearch }) => search,
  loader: ({ context, deps, params, preload }) =>
    isKind(params.kind) &&
    (params.kind !== 'patients' || isEverybody(deps)) &&
    read(context, preload, recordsQuery(params.kind, deps)),
  component: lazyRouteComponent(() => import('./pages/records/RecordsPage.tsx'), 'RecordsPage'),
});

const record = createRoute({
  getParentRoute: () => signedIn,
  path: '/records/$kind/$recordId',
  loader: ({ context, params: { kind, recordId }, preload }) =>
    isKind(kind) && read(context, preload, recordQuery(kind, recordId)),
  component: lazyRouteComponent(() => import('./pages/records/RecordPage.tsx'), 'RecordPage'),
});

const schedule = createRoute({
  getParentRoute: () => signedIn,
  path: '/schedule',
  validateSearch: searchOf(SCHEDULE_FILTERS),
  loaderDeps: ({ search }: { search: ScheduleSearch }) => search,
  // The requests are in the file of the page, so that other pages do not load their code.
  loader: ({ context, deps }) =>
    void import('./pages/schedule/SchedulePage.tsx').then(
      ({ prefetchSchedule }) => prefetchSchedule(context.queries, deps),
      // The page itself shows that its code cannot be loaded.
      () => {},
    ),
  component: lazyRouteComponent(() => import('./pages/schedule/SchedulePage.tsx'), 'SchedulePage'),
});

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: '/keys',
  loader: ({ context }) => prefetch(context, () => context.queries.prefetchQuery(keysQuery)),
  component: forAdministrators(lazyRouteComponent(() => import('./pages/keys/KeysPage.tsx'), 'KeysPage')),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: '/tokens',
  loader({ context }) {
    void context.queries.prefetchQuery(sessionsQuery);
    prefetch(context, async () => {
      await Promise.all([
        context.queries.prefetchQuery(programTokensQuery),
        context.queries.prefetchQuery(operatorsQuery),
      ]);
    });
  },
  component: lazyRouteComponent(() => import('./pages/tokens/TokensPage.tsx'), 'TokensPage'),
});

const operators = createRoute({
  getParentRoute: () => signedIn,
  path: '/operators',
  loader: ({ context }) => prefetch(context, () => context.queries.prefetchQuery(operatorsQuery)),
  component: forAdministrators(
    lazyRouteComponent(() => import('./pages/operators/OperatorsPage.tsx'), 'OperatorsPage'),
  ),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: searchOf(AUDIT_FILTERS),
  loaderDeps: ({ search }: { search: AuditSearch }) => search,
  loader: ({ context, deps }) =>
    prefetch(context, async () => {
      await Promise.all([
        context.queries.prefetchQuery(auditQuery(deps)),
        context.queries.prefetchQuery(operatorsQuery),
        context.queries.prefetchQuery(keysQuery),
        context.queries.prefetchQuery(programTokensQuery),
      ]);
    }),
  component: forAdministrators(lazyRouteComponent(() => import('./pages/audit/AuditPage.tsx'), 'AuditPage')),
});

const seen = createRoute({
  getParentRoute: () => signedIn,
  path: '/records/patients/$recordId/seen',
  validateSearch: searchOf(SEEN_FILTERS),
  component: forAdministrators(lazyRouteComponent(() => import('./pages/audit/SeenPage.tsx'), 'SeenPage')),
});

const connections = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections',
  loader: ({ context }) =>
    prefetch(context, async () => {
      await Promise.all([
        context.queries.prefetchQuery(connectionsQuery),
        context.queries.prefetchQuery(operatorsQuery),
      ]);
    }),
  component: forAdministrators(
    lazyRouteComponent(() => import('./pages/connections/ConnectionsPage.tsx'), 'ConnectionsPage'),
  ),
});

/** The page to which the authorization server redirects the browser when an app asks for access. */
const consent = createRoute({
  getParentRoute: () => alone,
  path: '/oauth/consent/$interactionId',
  component: lazyRouteComponent(() => import('./pages/consent/ConsentPage.tsx'), 'ConsentPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./pages/account/AccountPage.tsx'), 'AccountPage'),
});

/** The page that mails with notices lead to. */
const notices = createRoute({
  getParentRoute: () => signedIn,
  path: '/account/notices',
  loader: ({ context }) => void context.queries.prefetchQuery(noticeSettingsQuery),
  component: lazyRouteComponent(() => import('./pages/account/NoticesPage.tsx'), 'NoticesPage'),
});

/** An address without a page keeps the frame of the others. */
const missing = createRoute({ getParentRoute: () => signedIn, path: '$', component: MissingPage });

const routeTree = root.addChildren([
  signIn,
  firstPassword,
  firstFactor,
  invitation,
  passwordReset,
  signedIn.addChildren([
    overview,
    today,
    webhooks,
    subscription,
    deliveries,
    delivery,
    events,
    event,
    records,
    recordsOfKind,
    seen,
    record,
    schedule,
    keys,
    tokens,
    operators,
    audit,
    connections,
    account,
    notices,
    missing,
  ]),
  alone.addChildren([consent]),
]);

export const createPages = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultErrorComponent: FailedPage,
    scrollRestoration: true,
    defaultPreload: 'intent',
    // React Query, not the router, decides when data is stale.
    defaultPreloadStaleTime: 0,
    ...plainQuery,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
