import { randomBytes } from 'node:crypto';
import { largeReadRoute, largestBatches, type Operation, oddTextRoute, type Route } from './heavy-work.ts';
import { oddText, oneOf } from './odd-texts.ts';
import type { ConnectedApp, Organization, Product } from './product.ts';

/** A request, as both the greedy organization and the neighbour send it. */
export type Call = {
  /** The name of the door in results, such as `api GET /api/clinics`. */
  door: string;
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string;
};

/** The servers that an organization can reach. */
export const SERVERS = ['api', 'dashboard', 'authorization server', 'connector'] as const;
export type Server = (typeof SERVERS)[number];

/** The ways in which an organization can use a server excessively. */
export const WAYS = [
  'many at once',
  'dripped body',
  'unread response',
  'abandoned request',
  'pipelined requests',
  'largest result',
  'wrong credentials',
  // What the next three are compared with.
  'cheap requests',
  'odd texts',
  'largest reads',
  'abandoned heavy work',
  'batches',
] as const;
export type Way = (typeof WAYS)[number];

/** What an organization does to a server, or to the dispatcher by its writes. */
export type Cell = readonly [Server, Way] | readonly ['dispatcher', 'cheap requests' | 'many deliveries'];

/** All cells of the matrix. The webhooks of the neighbour are compared beside events with one and with many deliveries. */
export const CELLS: readonly Cell[] = [
  ...SERVERS.flatMap((server) => WAYS.map((way) => [server, way] as const)),
  ['dispatcher', 'cheap requests'],
  ['dispatcher', 'many deliveries'],
];

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

/** An address of one of the networks of the greedy organization. */
export const greedyNetwork = (): string => `203.0.113.${Math.floor(Math.random() * 12)}`;

/**
 * Whether a route leaves the credentials of the greedy organization valid. Without credentials, the attack would end.
 */
const isHarmless = ({ method, path }: Route): boolean =>
  !(method === 'DELETE' && path.startsWith('/api/sessions/current')) &&
  path !== '/api/sessions/current/password';

const toolCall = (connector: string, tool: string, input: object, accessToken: string): Call => ({
  door: `connector ${tool}`,
  method: 'POST',
  url: connector,
  headers: {
    ...JSON_TYPE,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    authorization: `Bearer ${accessToken}`,
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: tool, arguments: input },
  }),
});

const dayAfter = (days: number): string =>
  new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);

/** The calls of an app that an organization has connected. */
const connectorCalls = (
  { urls: { connector } }: Product,
  { practice: { clinicIds } }: Pick<Organization, 'practice'>,
  { accessToken }: Pick<ConnectedApp, 'accessToken'>,
): Call[] => {
  const days = { clinicId: clinicIds[0], from: dayAfter(1), to: dayAfter(28) };
  return [
    toolCall(connector, 'find_availability', { ...days, durationMinutes: 30 }, accessToken),
    toolCall(connector, 'count_appointments', days, accessToken),
    toolCall(connector, 'list_clinics', {}, accessToken),
  ];
};

/** The calls of apps and browsers that are not signed in to the authorization server. */
const authorizationCalls = ({ urls: { dashboard } }: Product, { clientId }: ConnectedApp): Call[] => {
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: 'http://127.0.0.1:9/callback',
    code_challenge: randomBytes(32).toString('base64url'),
    code_challenge_method: 'S256',
  });
  const form = (path: string, fields: Record<string, string>): Call => ({
    door: `authorization server POST ${path}`,
    method: 'POST',
    url: dashboard + path,
    headers: FORM_TYPE,
    body: new URLSearchParams(fields).toString(),
  });
  return [
    {
      door: 'authorization server GET /oauth/authorize',
      method: 'GET',
      url: `${dashboard}/oauth/authorize?${query}`,
      headers: {},
    },
    {
      door: 'authorization server POST /oauth/register',
      method: 'POST',
      url: `${dashboard}/oauth/register`,
      headers: JSON_TYPE,
      body: JSON.stringify({ client_name: 'App', redirect_uris: ['http://127.0.0.1:9/callback'] }),
    },
    form('/oauth/token', { grant_type: 'refresh_token', refresh_token: 'wrong', client_id: clientId }),
    form('/oauth/revoke', { token: 'wrong', client_id: clientId }),
    {
      door: 'authorization server GET /.well-known/oauth-authorization-server',
      method: 'GET',
      url: `${dashboard}/.well-known/oauth-authorization-server`,
      headers: {},
    },
  ];
};

const apiCall = (
  { urls: { api } }: Pick<Product, 'urls'>,
  { method, path, body = '{}' }: Route,
  authorization: string,
): Call => ({
  door: `api ${method} ${path}`,
  method,
  url: api + path,
  headers: { authorization, ...(method !== 'GET' && JSON_TYPE) },
  ...(method !== 'GET' && { body }),
});

const dashboardCall = (
  { urls: { dashboard } }: Product,
  { method, path, body = '{}' }: Route,
  session: string,
): Call => ({
  door: `dashboard ${method} ${path}`,
  method,
  url: dashboard + path,
  headers: { cookie: `chairside=${session}`, origin: dashboard, ...(method !== 'GET' && JSON_TYPE) },
  ...(method !== 'GET' && { body }),
});

/** Routes of the dashboard that it does not forward to the api. */
const DASHBOARD_ROUTES: readonly Route[] = [
  { method: 'GET', path: '/' },
  { method: 'GET', path: '/session' },
  { method: 'POST', path: '/session/tokens' },
  { method: 'GET', path: '/downloads/auditentries.csv' },
];
const LISTS = ['appointments', 'auditentries', 'patients', 'events'];

/**
 * Returns a function for each way at each server that has it. The function creates a call, with credentials that are chosen at
 * random.
 */
export const greedyCalls = (
  product: Product,
  routes: readonly Operation[],
): ((cell: Cell) => (() => Call) | undefined) => {
  const calls = callsToServers(product, routes);
  return ([server, way]) => (server === 'dispatcher' ? callsToDispatcher(product)[way] : calls[server][way]);
};

/** Writes in the clinic with one subscription, and in the clinic with as many as it may have. */
const callsToDispatcher = (product: Product): Record<'cheap requests' | 'many deliveries', () => Call> => {
  const { credentials, practice } = product.greedy;
  const creation = (clinicId: string): Call => ({
    ...apiCall(product, { method: 'POST', path: '/api/patients' }, oneOf(credentials)),
    body: JSON.stringify({ clinicId, name: 'x' }),
  });
  return {
    'cheap requests': () => creation(practice.clinicIds[0]),
    'many deliveries': () => creation(practice.clinicIds[1]),
  };
};

const callsToServers = (
  product: Product,
  routes: readonly Operation[],
): Record<Server, Partial<Record<Way, () => Call>>> => {
  const { greedy, accomplice, urls } = product;
  const harmless = routes.filter(isHarmless);
  const forwarded = harmless.filter(({ method, path }) => method !== 'POST' || path !== '/api/sessions');
  const withBody = (each: Route): boolean => each.method === 'POST' || each.method === 'PUT';
  const list = (): Route => ({ method: 'GET', path: `/api/${oneOf(LISTS)}` });
  const connector = () => oneOf(connectorCalls(product, greedy, oneOf(greedy.apps)));
  const authorization = () => oneOf(authorizationCalls(product, oneOf(greedy.apps)));
  const wrong = () => randomBytes(24).toString('base64url');
  const api = (route: Route) => apiCall(product, route, oneOf(greedy.credentials));
  const dashboard = (route: Route) => dashboardCall(product, route, oneOf(greedy.sessions));
  const clinic = (): Route => ({ method: 'GET', path: `/api/clinics/${greedy.practice.clinicIds[0]}` });
  /** The largest reads are those of two organizations, because one alone is held to its share. */
  const largestRead = (): Call => {
    const own = oneOf([greedy, accomplice]);
    return apiCall(product, largeReadRoute(own), oneOf(own.credentials));
  };
  const batches = largestBatches(greedy);
  let made = 0;
  const nextBatch = (): Route => batches[made++ % batches.length] as Route;
  const oddRoute = () => oddTextRoute(harmless, greedy);
  const forwardedOddRoute = () => oddTextRoute(forwarded, greedy);
  const largeRead = () => largeReadRoute(greedy);
  const oddApp = (): Call => ({
    ...(authorizationCalls(product, oneOf(greedy.apps))[1] as Call),
    body: JSON.stringify({
      client_name: oddText(200),
      redirect_uris: ['http://127.0.0.1:9/callback'],
    }),
  });
  const tool = (name: string, input: object) =>
    toolCall(urls.connector, name, input, oneOf(greedy.apps).accessToken);
  const [clinicId] = greedy.practice.clinicIds;
  const oddTool = (): Call => tool('list_procedures', { clinicId, query: oddText(100) });
  const largestTool = (): Call =>
    oneOf([
      tool('find_availability', { clinicId, from: dayAfter(1), to: dayAfter(31), durationMinutes: 5 }),
      tool('count_appointments', { clinicId, from: dayAfter(1), to: dayAfter(92) }),
      tool('list_calendar_blocks', { clinicId, from: dayAfter(1), to: dayAfter(31) }),
    ]);
  const signIn = (door: string, url: string): Call => ({
    door,
    method: 'POST',
    url,
    headers: { ...JSON_TYPE, origin: urls.dashboard },
    body: JSON.stringify({ email: greedy.practice.staff.email, password: wrong() }),
  });
  return {
    api: {
      'many at once': () => api(oneOf(harmless)),
      'dripped body': () => api(oneOf(harmless.filter(withBody))),
      'unread response': () => api(list()),
      'abandoned request': () => api(oneOf(harmless)),
      'pipelined requests': () => api(list()),
      'largest result': () => api(list()),
      'wrong credentials': () =>
        Math.random() < 0.2
          ? signIn('api POST /api/sessions', `${urls.api}/api/sessions`)
          : apiCall(product, oneOf(harmless), oneOf([`Token ${wrong()}`, `Basic ${btoa(wrong())}`])),
      'cheap requests': () => api(clinic()),
      'odd texts': () => api(oddRoute()),
      'largest reads': largestRead,
      'abandoned heavy work': () => oneOf([largestRead, () => api(oddRoute())])(),
      batches: () => api(nextBatch()),
    },
    dashboard: {
      'many at once': () => dashboard(oneOf([...forwarded, ...DASHBOARD_ROUTES])),
      'dripped body': () =>
        dashboard(oneOf([...forwarded.filter(withBody), { method: 'POST', path: '/session' }])),
      'unread response': () =>
        dashboard(oneOf([list(), { method: 'GET', path: '/downloads/auditentries.csv' }])),
      'abandoned request': () => dashboard(oneOf([...forwarded, ...DASHBOARD_ROUTES])),
      'pipelined requests': () => dashboard(list()),
      'largest result': () =>
        dashboard(oneOf([list(), { method: 'GET', path: '/downloads/auditentries.csv' }])),
      'wrong credentials': () =>
        Math.random() < 0.2
          ? signIn('dashboard POST /session', `${urls.dashboard}/session`)
          : dashboardCall(product, oneOf(forwarded), wrong()),
      'cheap requests': () => dashboard(clinic()),
      'odd texts': () => dashboard(forwardedOddRoute()),
      'largest reads': () => dashboard(largeRead()),
      'abandoned heavy work': () => dashboard(oneOf([largeRead, forwardedOddRoute])()),
    },
    'authorization server': {
      'many at once': authorization,
      'dripped body': () =>
        oneOf(authorizationCalls(product, oneOf(greedy.apps)).filter(({ method }) => method === 'POST')),
      'unread response': authorization,
      'abandoned request': authorization,
      'pipelined requests': authorization,
      'largest result': () => dashboard({ method: 'GET', path: `/oauth/consent/${wrong()}` }),
      'wrong credentials': authorization,
      'cheap requests': () => authorizationCalls(product, oneOf(greedy.apps))[4] as Call,
      'odd texts': oddApp,
      'largest reads': () => authorizationCalls(product, oneOf(greedy.apps))[0] as Call,
      'abandoned heavy work': oddApp,
    },
    connector: {
      'many at once': connector,
      'dripped body': connector,
      'unread response': connector,
      'abandoned request': connector,
      'pipelined requests': connector,
      'largest result': () => connectorCalls(product, greedy, oneOf(greedy.apps))[0] as Call,
      'wrong credentials': () =>
        toolCall(
          urls.connector,
          'list_clinics',
          {},
          oneOf([wrong(), `wrong-${Math.floor(Math.random() * 50)}`]),
        ),
      'cheap requests': () => tool('list_clinics', {}),
      'odd texts': oddTool,
      'largest reads': largestTool,
      'abandoned heavy work': () => oneOf([oddTool, largestTool])(),
    },
  };
};

/** Creates a record in the neighbour's clinic with a subscription. */
export const webhookCall = ({ neighbour, urls }: Pick<Product, 'neighbour' | 'urls'>): Call => {
  const { practice, credentials } = neighbour;
  const route = { method: 'POST', path: '/api/patients' };
  const body = JSON.stringify({ clinicId: practice.clinicIds[1], name: 'x' });
  return { ...apiCall({ urls }, route, credentials[0] ?? ''), body };
};

/** The calls of the neighbour, each of which must succeed. */
export const neighbourCalls = (product: Product): (() => Call)[] => {
  const { neighbour, urls } = product;
  const { practice, credentials, sessions, apps } = neighbour;
  const [key = '', token = ''] = [credentials[0], credentials.at(-1)];
  const [clinicId] = practice.clinicIds;
  const [session = ''] = sessions;
  const at = (index: number) => () => authorizationCalls(product, oneOf(apps))[index] as Call;
  return [
    () => apiCall(product, { method: 'GET', path: '/api/appointments' }, key),
    () => apiCall(product, { method: 'GET', path: `/api/clinics/${clinicId}` }, token),
    () => ({
      ...apiCall(product, { method: 'POST', path: '/api/patients' }, key),
      body: JSON.stringify({ clinicId, name: 'x' }),
    }),
    () => dashboardCall(product, { method: 'GET', path: '/' }, session),
    () => dashboardCall(product, { method: 'GET', path: '/session' }, session),
    () => dashboardCall(product, { method: 'GET', path: '/api/webhooksubscriptions' }, session),
    () => dashboardCall(product, { method: 'GET', path: '/downloads/auditentries.csv' }, session),
    () => ({
      door: 'dashboard POST /session',
      method: 'POST',
      url: `${urls.dashboard}/session`,
      headers: { ...JSON_TYPE, origin: urls.dashboard },
      body: JSON.stringify({ email: practice.staff.email, password: practice.staff.password }),
    }),
    at(0),
    at(1),
    at(4),
    ...[0, 1, 2].map(
      (index) => () => connectorCalls(product, neighbour, apps[index] as ConnectedApp)[index] as Call,
    ),
  ];
};
