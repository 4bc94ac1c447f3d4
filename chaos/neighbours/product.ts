import { createHash, randomBytes } from 'node:crypto';
import {
  MAX_SETTINGS_OF,
  MAX_SUBSCRIPTIONS_PER_CLINIC,
  newEvent,
  newId,
  readOpeningHours,
  scopes,
} from '@chairside/domain';
import {
  Browser,
  basic,
  createKey,
  createPractice,
  metricsUrl,
  type Practice,
  type RecordingReceiver,
  type ServiceProcess,
  sealedDocument,
  startRecordingReceiver,
  startWholeProduct,
  type TestOperator,
  testEngines,
  type WholeService,
} from '@chairside/test-support';

import { oddNames } from './odd-texts.ts';

/** The memory that the images, the units and the manifests give each process, and the part of it that an attack may take. */
const NODE_OPTIONS = '--max-old-space-size=384 --max-semi-space-size=8';
export const MAX_MEMORY = { heap: 0.75 * 384 * 2 ** 20, resident: 512 * 2 ** 20 };
/** How many keys, operators, and sessions of each operator are created for the greedy organization. */
const KEYS = 20;
const OPERATORS = 6;
const SESSIONS = 6;
/** The number of connected apps of an organization. */
const APPS = 3;
const CALLBACK = 'http://127.0.0.1:9/callback';
const DAY_MS = 86_400_000;

/** The memory of a process, in bytes, and the largest delay of its event loop since the last measurement. */
export type Measured = { heap: number; resident: number; lagMs: number };

/** An app that an administrator has connected. */
export type ConnectedApp = { clientId: string; accessToken: string; refreshToken: string };

/** An organization with its credentials. */
export type Organization = {
  practice: Practice;
  /** The values of the header `Authorization` at the api. */
  credentials: string[];
  /** The values of the cookie of the dashboard. */
  sessions: string[];
  apps: ConnectedApp[];
};

/** The processes of the product, with the heap limit of the images. */
export type Product = {
  service: WholeService;
  urls: { api: string; dashboard: string; connector: string };
  processes: Readonly<Record<string, ServiceProcess>>;
  /** Measures the servers. */
  measure(): Promise<Record<string, Measured>>;
  greedy: Organization;
  /** Another greedy organization with as many rows. */
  accomplice: Pick<Organization, 'practice' | 'credentials'>;
  neighbour: Organization;
  /** The receiver of the neighbour's second clinic. */
  receiver: RecordingReceiver;
  close(): Promise<void>;
};

const form = (fields: Record<string, string>) => ({
  method: 'POST',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
  body: new URLSearchParams(fields).toString(),
});

/** Registers an app and connects it as the administrator, as a browser does. */
const connectApp = async (
  dashboard: string,
  administrator: Pick<TestOperator, 'email' | 'password'>,
  mcpUrl: string,
): Promise<ConnectedApp> => {
  const browser = new Browser(dashboard);
  await browser.signIn(administrator);
  const registered = await browser.post('/oauth/register', { client_name: 'App', redirect_uris: [CALLBACK] });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    resource: mcpUrl,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  const consent = (await browser.get(`/oauth/authorize?${query}`)).headers.get('location') ?? '';
  await browser.get(`${consent}/details`);
  const decided = await browser.post(`${consent}/decision`, { decision: 'allow' });
  const { location } = (await decided.json()) as { location: string };
  const redirect = new URL((await browser.get(location)).headers.get('location') ?? '', dashboard);
  const exchanged = await browser.fetch(
    '/oauth/token',
    form({
      grant_type: 'authorization_code',
      code: redirect.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      client_id: clientId,
      code_verifier: verifier,
    }),
  );
  const tokens = (await exchanged.json()) as { access_token: string; refresh_token: string };
  if (tokens.refresh_token === undefined) throw new Error(`no tokens: ${JSON.stringify(tokens)}`);
  return { clientId, accessToken: tokens.access_token, refreshToken: tokens.refresh_token };
};

/** Fills a clinic with appointments of four weeks, from tomorrow on, and with audit entries. */
const fill = async (
  { store: { ciphers }, database }: WholeService,
  { organizationId, clinicIds, store }: Practice,
  rows: number,
): Promise<void> => {
  const [clinicId] = clinicIds;
  const cipher = await ciphers.of(organizationId);
  const always = [{ opens: '00:00', closes: '23:30' }];
  const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
  const read = readOpeningHours({
    weekdays: Object.fromEntries(weekdays.map((day) => [day, always])),
    chairs: 100,
    slotMinutes: 30,
  });
  if ('issues' in read) throw new Error(JSON.stringify(read.issues));
  await store.openingHours.set(clinicId, read.hours);
  const tomorrow = (Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS;
  for (let done = 0; done < rows; done += 5000) {
    const documents = Array.from({ length: Math.min(5000, rows - done) }, (_, index) => {
      const startTime = new Date(tomorrow + Math.floor(((done + index) / rows) * 28 * DAY_MS));
      const appointment = {
        _id: newId(),
        organizationId,
        clinicId,
        patientId: newId(),
        startTime,
        endTime: new Date(startTime.getTime() + 30 * 60_000),
        status: 'SCHEDULED',
        procedures: [],
        reminders: [],
        lastEditTime: new Date(),
        revision: 1,
      };
      return sealedDocument('appointments', appointment, cipher);
    });
    await database.collection<{ _id: string }>('appointments').insertMany(documents);
    const entries = documents.map(({ _id }) => ({
      _id: newId(),
      organizationId,
      time: new Date(),
      action: 'read',
      kind: 'appointment',
      ids: [_id, newId(), newId(), newId()],
      principal: { kind: 'apiKey', id: newId() },
      requestId: newId(),
      expireAt: new Date(Date.now() + DAY_MS),
    }));
    await database.collection<{ _id: string }>('auditEntries').insertMany(entries);
  }
  const blocks = Array.from({ length: Math.min(MAX_SETTINGS_OF['calendar-block'], rows) }, (_, slot) => {
    // All of them are in half an hour of the night, so that a search has more to find than blocked times.
    const startTime = new Date(tomorrow + (slot % 28) * DAY_MS + 3 * 3_600_000 + (slot % 30) * 60_000);
    const endTime = new Date(startTime.getTime() + 60_000);
    const block = { _id: newId(), organizationId, clinicId, startTime, endTime, kind: 'BREAK', slot };
    return { ...block, lastEditTime: new Date(), revision: 1 };
  });
  await database.collection<{ _id: string }>('calendarBlocks').insertMany(blocks);
  const author = { principal: { kind: 'system' as const, id: 'neighbours' }, requestId: 'neighbours' };
  for (const name of oddNames(Math.min(400, rows / 100))) {
    const time = new Date();
    const patient = {
      _id: newId(time),
      clinicId,
      name,
      createdTime: time.toISOString(),
      lastEditTime: time.toISOString(),
    };
    const event = newEvent({ _id: newId(time), event: 'patient.created', time, author }, patient);
    await store.patients.create(patient, event);
  }
};

/** Creates subscriptions of all events in a clinic. */
const subscribe = async (
  { store }: Practice,
  clinicId: string,
  url: string,
  count: number,
): Promise<void> => {
  for (let index = 0; index < count; index++) {
    const made = await store.subscriptions.create({ clinicId, url, events: [], active: true }, new Date());
    if (made === undefined) throw new Error('the clinic has reached its limit of subscriptions');
  }
};

/** Creates the credentials of the greedy organization. */
const credentialsOf = async ({ everyOrganization }: WholeService['store'], { store }: Practice) => {
  const now = new Date();
  const keys = await Promise.all(
    Array.from({ length: KEYS }, (_, index) =>
      createKey(store, { name: `key ${index}`, scopes: [...scopes], rateLimit: 100_000 }, now),
    ),
  );
  const sessions: string[] = [];
  for (let operator = 0; operator < OPERATORS; operator++) {
    const named = { email: `${newId()}@example.com`, password: randomBytes(12).toString('base64url') };
    await store.operators.create({ ...named, role: 'administrator' }, now);
    for (let session = 0; session < SESSIONS; session++) {
      const result = await everyOrganization.sessions.signIn(named.email, named.password, new Date());
      if (result.outcome !== 'signed_in') throw new Error('the new operator cannot sign in');
      sessions.push(result.session.token);
    }
  }
  return { keys: keys.map(({ secret }) => basic(secret)), sessions };
};

/** @param rows the number of appointments and of audit entries of the greedy organization */
export const startProduct = async (rows: number): Promise<Product> => {
  const service = await startWholeProduct(testEngines().redisUrl, {
    environment: { NODE_OPTIONS, TRUST_PROXY: '127.0.0.1' },
  });
  const { api, dispatcher, dashboard, connector, dashboardUrl, mcpUrl } = service;

  const organizationOf = async (practice: Practice, isGreedy: boolean): Promise<Organization> => {
    const more = isGreedy ? await credentialsOf(service.store, practice) : { keys: [], sessions: [] };
    const { administrator, apiKey } = practice;
    const apps: ConnectedApp[] = [];
    for (let index = 0; index < APPS; index++)
      apps.push(await connectApp(dashboardUrl, administrator, mcpUrl));
    return {
      practice,
      credentials: [
        basic(apiKey),
        ...more.keys,
        ...[administrator.token, ...more.sessions].map((token) => `Token ${token}`),
      ],
      sessions: [administrator.token, ...more.sessions],
      apps,
    };
  };
  const neighbour = await organizationOf(await createPractice(service.store), false);
  await fill(service, service.practice, rows);
  await fill(service, neighbour.practice, 100);
  const greedy = await organizationOf(service.practice, true);
  const other = await createPractice(service.store);
  await fill(service, other, rows);
  const receivers = {
    greedy: await startRecordingReceiver({ keepsBodies: false }),
    neighbour: await startRecordingReceiver(),
  };
  const { clinicIds } = service.practice;
  await subscribe(service.practice, clinicIds[1], receivers.greedy.url, MAX_SUBSCRIPTIONS_PER_CLINIC);
  await subscribe(neighbour.practice, neighbour.practice.clinicIds[1], receivers.neighbour.url, 1);
  const { keys, sessions } = await credentialsOf(service.store, other);
  const accomplice = {
    practice: other,
    credentials: [...keys, ...sessions.map((token) => `Token ${token}`)],
  };

  return {
    service,
    urls: { api: service.address, dashboard: dashboardUrl, connector: mcpUrl },
    processes: { api, dispatcher, dashboard, connector },
    async measure() {
      const servers = Object.entries({ api, dashboard, connector });
      const measured = servers.map(async ([name, server]): Promise<[string, Measured]> => {
        const text = await (await fetch(await metricsUrl(server))).text();
        const read = (metric: string): number => Number(new RegExp(`^${metric} (\\S+)`, 'm').exec(text)?.[1]);
        return [
          name,
          {
            heap: read('nodejs_heap_size_used_bytes'),
            resident: read('process_resident_memory_bytes'),
            lagMs: read('nodejs_eventloop_lag_max_seconds') * 1000,
          },
        ];
      });
      return Object.fromEntries(await Promise.all(measured));
    },
    greedy,
    accomplice,
    neighbour,
    receiver: receivers.neighbour,
    async close() {
      await service.close();
      await Promise.all([receivers.greedy.close(), receivers.neighbour.close()]);
    },
  };
};
