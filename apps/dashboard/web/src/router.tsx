import type { QueryClient } from '@tanstack/react-query';
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
import { AUDIT_FILTERS } from './audit/search.ts';
import { DELIVERY_FILTERS, type DeliverySearch } from './deliveries/search.ts';
import { EVENT_FILTERS } from './events/search.ts';
import { FailedPage } from './layout/FailedPage.tsx';
import { ForbiddenPage } from './layout/ForbiddenPage.tsx';
import { MissingPage } from './layout/MissingPage.tsx';
import { RECORD_FILTERS } from './records/search.ts';
import { plainQuery, searchOf } from './search.ts';
import { SignInPage } from './session/SignInPage.tsx';
import { type Role, sessionQuery, useSession } from './session/session.ts';

type Context = { queries: QueryClient };

const root = createRootRouteWithContext<Context>()({ component: Outlet, notFoundComponent: MissingPage });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: searchOf(['next']),
  component: SignInPage,
});

/** A session whose password somebody else has set. Its operator may do nothing but choose another one. */
const firstPassword = createRoute({
  getParentRoute: () => root,
  path: '/first-password',
  component: lazyRouteComponent(() => import('./account/FirstPasswordPage.tsx'), 'FirstPasswordPage'),
});

/** Every page for signed-in operators. Without a session it leads to the sign-in page, and back afterwards. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  component: lazyRouteComponent(() => import('./layout/Shell.tsx'), 'Shell'),
  errorComponent: FailedPage,
  async beforeLoad({ context, location }) {
    const found = await context.queries.ensureQueryData(sessionQuery);
    if (found.state === 'mustChangePassword') throw redirect({ to: '/first-password' });
    if (found.state === 'signedOut') throw redirect({ to: '/sign-in', search: { next: location.href } });
    return { role: found.session.role };
  },
});

/** A page that only an administrator may see. Staff get the page that says so, and do not load the other. */
const forAdministrators = (Page: AsyncRouteComponent<object>) => {
  const Guarded: RouteComponent = () =>
    useSession().role === 'administrator' ? <Page /> : <ForbiddenPage />;
  return Object.assign(Guarded, Page.preload && { preload: Page.preload });
};

/**
 * Begins the request of an administrator's page while its code is loaded: when a link is pointed at or focused. Not for
 * records and events, each read of which leaves an audit entry.
 *
 * @param read starts the request. A failure is shown by the page
 */
const prefetch = ({ role }: { role: Role }, read: () => Promise<void>): void => {
  if (role === 'administrator') read().catch(() => {});
};

/** The way to the page where staff begin. */
const toPatients = () =>
  redirect({ to: '/records/$kind', params: { kind: 'patients' }, search: {}, replace: true });

const overview = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  validateSearch: searchOf(['clinicId']),
  beforeLoad({ context }: { context: { role: Role } }) {
    if (context.role !== 'administrator') throw toPatients();
  },
  component: lazyRouteComponent(() => import('./overview/OverviewPage.tsx'), 'OverviewPage'),
});

const webhooks = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks',
  validateSearch: searchOf(['clinicId', 'state']),
  loader: ({ context }) =>
    prefetch(context, async () => {
      const { subscriptionsQuery } = await import('./webhooks/requests.ts');
      await context.queries.prefetchQuery(subscriptionsQuery);
    }),
  component: forAdministrators(
    lazyRouteComponent(() => import('./webhooks/WebhooksPage.tsx'), 'WebhooksPage'),
  ),
});

const webhook = createRoute({
  getParentRoute: () => signedIn,
  path: '/webhooks/$subscriptionId',
  loader: ({ context, params }) =>
    prefetch(context, async () => {
      const { subscriptionQuery } = await import('./webhooks/requests.ts');
      await context.queries.prefetchQuery(subscriptionQuery(params.subscriptionId));
    }),
  validateSearch: searchOf(['tab', 'outcome', 'cause', 'cursor']),
  component: forAdministrators(lazyRouteComponent(() => import('./webhooks/WebhookPage.tsx'), 'WebhookPage')),
});

const deliveries = createRoute({
  getParentRoute: () => signedIn,
  path: '/deliveries',
  validateSearch: searchOf(DELIVERY_FILTERS),
  loaderDeps: ({ search }: { search: DeliverySearch }) => search,
  loader: ({ context, deps }) =>
    prefetch(context, async () => {
      const { deliveriesQuery } = await import('./deliveries/requests.ts');
      await context.queries.prefetchQuery(deliveriesQuery(deps));
    }),
  component: forAdministrators(
    lazyRouteComponent(() => import('./deliveries/DeliveriesPage.tsx'), 'DeliveriesPage'),
  ),
});

const delivery = createRoute({
  getParentRoute: () => signedIn,
  path: '/deliveries/$deliveryId',
  loader: ({ context, params }) =>
    prefetch(context, async () => {
      const { deliveryQuery } = await import('./deliveries/requests.ts');
      await context.queries.prefetchQuery(deliveryQuery(params.deliveryId));
    }),
  component: forAdministrators(
    lazyRouteComponent(() => import('./deliveries/DeliveryPage.tsx'), 'DeliveryPage'),
  ),
});

const events = createRoute({
  getParentRoute: () => signedIn,
  path: '/events',
  validateSearch: searchOf(EVENT_FILTERS),
  component: lazyRouteComponent(() => import('./events/EventsPage.tsx'), 'EventsPage'),
});

const event = createRoute({
  getParentRoute: () => signedIn,
  path: '/events/$eventId',
  component: lazyRouteComponent(() => import('./events/EventPage.tsx'), 'EventPage'),
});

/** The way to the records from the navigation, which marks it for every kind. */
const records = createRoute({
  getParentRoute: () => signedIn,
  path: '/records',
  beforeLoad() {
    throw toPatients();
  },
});

const recordsOfKind = createRoute({
  getParentRoute: () => signedIn,
  path: '/records/$kind',
  validateSearch: searchOf(RECORD_FILTERS),
  component: lazyRouteComponent(() => import('./records/RecordsPage.tsx'), 'RecordsPage'),
});

const record = createRoute({
  getParentRoute: () => signedIn,
  path: '/records/$kind/$recordId',
  component: lazyRouteComponent(() => import('./records/RecordPage.tsx'), 'RecordPage'),
});

const keys = createRoute({
  getParentRoute: () => signedIn,
  path: '/keys',
  loader: ({ context }) =>
    prefetch(context, async () => {
      const { keysQuery } = await import('./keys/requests.ts');
      await context.queries.prefetchQuery(keysQuery);
    }),
  component: forAdministrators(lazyRouteComponent(() => import('./keys/KeysPage.tsx'), 'KeysPage')),
});

const tokens = createRoute({
  getParentRoute: () => signedIn,
  path: '/tokens',
  component: lazyRouteComponent(() => import('./tokens/TokensPage.tsx'), 'TokensPage'),
});

const operators = createRoute({
  getParentRoute: () => signedIn,
  path: '/operators',
  loader: ({ context }) =>
    prefetch(context, async () => {
      const { operatorsQuery } = await import('./operators/requests.ts');
      await context.queries.prefetchQuery(operatorsQuery);
    }),
  component: forAdministrators(
    lazyRouteComponent(() => import('./operators/OperatorsPage.tsx'), 'OperatorsPage'),
  ),
});

const audit = createRoute({
  getParentRoute: () => signedIn,
  path: '/audit',
  validateSearch: searchOf(AUDIT_FILTERS),
  component: forAdministrators(lazyRouteComponent(() => import('./audit/AuditPage.tsx'), 'AuditPage')),
});

const connections = createRoute({
  getParentRoute: () => signedIn,
  path: '/connections',
  component: forAdministrators(
    lazyRouteComponent(() => import('./connections/ConnectionsPage.tsx'), 'ConnectionsPage'),
  ),
});

/** Where the authorization server leads the browser that an app has sent. */
const consent = createRoute({
  getParentRoute: () => signedIn,
  path: '/oauth/consent/$interactionId',
  component: lazyRouteComponent(() => import('./consent/ConsentPage.tsx'), 'ConsentPage'),
});

const account = createRoute({
  getParentRoute: () => signedIn,
  path: '/account',
  component: lazyRouteComponent(() => import('./account/AccountPage.tsx'), 'AccountPage'),
});

const routeTree = root.addChildren([
  signIn,
  firstPassword,
  signedIn.addChildren([
    overview,
    webhooks,
    webhook,
    deliveries,
    delivery,
    events,
    event,
    records,
    recordsOfKind,
    record,
    keys,
    tokens,
    operators,
    audit,
    connections,
    consent,
    account,
  ]),
]);

export const createPages = (queries: QueryClient) =>
  createRouter({
    routeTree,
    context: { queries },
    defaultErrorComponent: FailedPage,
    defaultNotFoundComponent: MissingPage,
    scrollRestoration: true,
    defaultPreload: 'intent',
    ...plainQuery,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPages>;
  }
}
