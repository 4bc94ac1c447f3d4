import { type EventEmitter, once } from 'node:events';
import { type ClientRequest, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch as undiciFetch } from 'undici';
import { apiOperations } from './heavy-work.ts';
import { type Measured, type Product, startProduct } from './product.ts';
import {
  type Call,
  CELLS,
  type Cell,
  greedyCalls,
  greedyNetwork,
  neighbourCalls,
  webhookCall,
} from './requests.ts';

/** The name of the neighbour's webhooks in results, beside those of doors. */
export const WEBHOOK = 'dispatcher webhook';
/** How often the neighbour makes each of its calls. */
const PROBE_MS = 2000;
/** How often the neighbour creates a record whose webhook is awaited. */
const WEBHOOK_PROBE_MS = 250;
/** How long a call of the neighbour may take. */
const PATIENCE_MS = 30_000;
/** The time between two bytes of a dripped body. */
const DRIP_MS = 200;
/** The longest time after which the caller of an abandoned request disconnects. */
const ABANDONED_AFTER_MS = 50;
/** The requests on one connection that are sent at once, and how long their responses are not read. */
const PIPELINED = 4;
const PIPELINED_MS = 2000;

/** How much the greedy organization does at the same time in each way, and for how long. */
export type Load = {
  /** The number of appointments, and of audit entries, of the greedy organization. */
  rows: number;
  workers: number;
  dripped: number;
  unread: number;
  abandoned: number;
  pipelined: number;
  largest: number;
  /** How long one cell of the matrix lasts. */
  cellMs: number;
  /** Whether all cells run at the same time, instead of one after the other. */
  isTogether: boolean;
  /** Runs only the cells whose names match this regular expression. */
  only?: string | undefined;
};

/** A call of the neighbour during a cell of the matrix. */
export type Probe = { cell: string; door: string; status: number | string; ms: number };
export type Findings = {
  probes: Probe[];
  /** How many requests the greedy organization sent, and how often it got each status, by cell. */
  greedy: Record<string, Record<string, number>>;
  /** The most that was measured of each server in each cell. */
  measured: Record<string, Record<string, Measured>>;
  /** The processes that ended during the run. */
  ended: string[];
};

type Dispatcher = Agent;

/** Sends a call and reads its response. */
const send = async (
  { method, url, headers, body }: Call,
  network: string,
  dispatcher: Dispatcher,
  signal: AbortSignal,
): Promise<number | string> => {
  try {
    const response = await undiciFetch(url, {
      method,
      headers: { ...headers, 'x-forwarded-for': network },
      redirect: 'manual',
      dispatcher,
      signal,
      ...(body !== undefined && { body }),
    });
    for await (const _part of response.body ?? []);
    return response.status;
  } catch (error) {
    const { name, cause } = error as Error & { cause?: { code?: string } };
    return cause?.code ?? name;
  }
};

/** Opens a connection of its own for a call. */
const open = ({ method, url, headers }: Call, more: Record<string, string>): ClientRequest => {
  const call = request(url, {
    method,
    agent: false,
    headers: { ...headers, ...more, 'x-forwarded-for': greedyNetwork() },
  });
  call.on('error', () => {});
  return call;
};

const count = (counts: Record<string, number>, status: number | string): void => {
  counts[status] = (counts[status] ?? 0) + 1;
};

type Attack = (
  make: () => Call,
  load: Load,
  signal: AbortSignal,
  counts: Record<string, number>,
) => Promise<void>;

const working =
  (workersOf: (load: Load) => number): Attack =>
  async (make, load, signal, counts) => {
    const dispatcher = new Agent({ connections: workersOf(load) });
    const work = async (): Promise<void> => {
      while (!signal.aborted) {
        count(counts, 'sent');
        count(counts, await send(make(), greedyNetwork(), dispatcher, signal));
      }
    };
    await Promise.all(Array.from({ length: workersOf(load) }, work));
    await dispatcher.destroy();
  };

/** Keeps this many requests open, and opens another one for each that ends. */
const holding =
  (
    openOne: (make: () => Call) => EventEmitter & { destroy(): unknown },
    numberOf: (load: Load) => number,
  ): Attack =>
  async (make, load, signal, counts) => {
    const hold = async (): Promise<void> => {
      while (!signal.aborted) {
        const call = openOne(make);
        count(counts, 'sent');
        call.once('response', ({ statusCode = 0 }) => count(counts, statusCode));
        const abort = () => call.destroy();
        signal.addEventListener('abort', abort, { once: true });
        await once(call, 'close').catch(() => {});
        signal.removeEventListener('abort', abort);
        await sleep(50);
      }
    };
    await Promise.all(Array.from({ length: numberOf(load) }, hold));
  };

/** Almost the size of the largest body that a door accepts. */
const sizeOf = (door: string): number => {
  if (door.startsWith('connector')) return 60_000;
  if (door.startsWith('authorization server')) return 15_000;
  return door.endsWith('/session') ? 7_000 : 250_000;
};

/** Half of the bodies begin with almost all of their bytes. */
const openDripped = (make: () => Call): ClientRequest => {
  const made = make();
  const size = sizeOf(made.door);
  const call = open(made, { 'content-length': String(size) });
  call.write(' '.repeat(Math.random() < 0.5 ? size - 1000 : 1));
  const drip = setInterval(() => call.write(' '), DRIP_MS);
  call.once('close', () => clearInterval(drip));
  return call.on('response', (response) => response.resume());
};
const openUnread = (make: () => Call): ClientRequest => {
  const made = make();
  const call = open(made, Math.random() < 0.5 ? { 'accept-encoding': 'gzip' } : {});
  // A paused response is never read.
  call.on('response', (response) => response.pause());
  return call.end(made.body);
};

const openAbandoned = (make: () => Call): ClientRequest => {
  const made = make();
  const call = open(made, {}).end(made.body);
  setTimeout(() => call.destroy(), ABANDONED_AFTER_MS * Math.random());
  return call;
};
/** Sends several requests on one connection, whose responses are not read. */
const openPipelined = (make: () => Call): Socket => {
  const calls = Array.from({ length: PIPELINED }, make);
  const { hostname, port } = new URL((calls[0] as Call).url);
  const socket = connect(Number(port), hostname).pause();
  socket.on('error', () => {});
  for (const { method, url, headers, body = '' } of calls) {
    const { pathname, search, host } = new URL(url);
    const all = {
      ...headers,
      host,
      'x-forwarded-for': greedyNetwork(),
      'content-length': Buffer.byteLength(body),
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    socket.write([`${method} ${pathname}${search} HTTP/1.1`, ...lines, '', body].join('\r\n'));
  }
  setTimeout(() => socket.destroy(), PIPELINED_MS);
  return socket;
};

const ATTACKS: Record<Cell[1], Attack> = {
  'many at once': working(({ workers }) => workers),
  'dripped body': holding(openDripped, ({ dripped }) => dripped),
  'unread response': holding(openUnread, ({ unread }) => unread),
  'abandoned request': holding(openAbandoned, ({ abandoned }) => abandoned),
  'pipelined requests': holding(openPipelined, ({ pipelined }) => pipelined),
  'largest result': working(({ largest }) => largest),
  'wrong credentials': working(({ workers }) => workers),
  'cheap requests': working(({ workers }) => workers),
  'many deliveries': working(({ workers }) => workers),
  'odd texts': working(({ workers }) => workers),
  'largest reads': working(({ workers }) => workers),
  'abandoned heavy work': holding(openAbandoned, ({ abandoned }) => abandoned),
  batches: working(({ workers }) => workers),
};

/**
 * Makes each call of the neighbour at most once in `PROBE_MS`, until the signal. None waits for another one. One operator
 * may sign in 300 times an hour.
 */
const probe = async (product: Product, cell: string, signal: AbortSignal, probes: Probe[]): Promise<void> => {
  const dispatcher = new Agent({ connections: null });
  const calls = neighbourCalls(product);
  const callAgain = async (make: () => Call): Promise<void> => {
    while (!signal.aborted) {
      // Each round of the run has another network, because one network may register only 20 apps an hour and begin only
      // 60 authorizations a minute.
      const round = Math.floor(probes.length / calls.length);
      const network = `198.18.${Math.floor(round / 250)}.${round % 250}`;
      const call = make();
      const startedAt = performance.now();
      const answered = send(call, network, dispatcher, AbortSignal.timeout(PATIENCE_MS)).then((status) =>
        probes.push({ cell, door: call.door, status, ms: Math.round(performance.now() - startedAt) }),
      );
      await Promise.all([answered, sleep(PROBE_MS)]);
    }
  };
  await Promise.all(calls.map(callAgain));
  await dispatcher.close();
};

/** Creates records at most once in `WEBHOOK_PROBE_MS`, and measures the time from each response to the webhook, until the signal. */
const probeWebhooks = async (
  product: Product,
  cell: string,
  signal: AbortSignal,
  probes: Probe[],
): Promise<void> => {
  const { receiver } = product;
  while (!signal.aborted) {
    const { url, method, headers, body = '' } = webhookCall(product);
    const response = await undiciFetch(url, { method, headers, body });
    const { _id } = (await response.json()) as { _id?: string };
    const startedAt = performance.now();
    const arrived = receiver.until((posts) => posts.some(({ json }) => json.data._id === _id));
    const inTime = Promise.race([arrived.then(() => true), sleep(PATIENCE_MS, false, { ref: false })]);
    const ended = inTime.then((isInTime) => {
      const status = isInTime ? response.status : 'no webhook';
      probes.push({ cell, door: WEBHOOK, status, ms: Math.round(performance.now() - startedAt) });
    });
    await Promise.all([ended, sleep(WEBHOOK_PROBE_MS)]);
  }
};

/** The larger of each value of each server. */
const most = (one: Record<string, Measured>, other: Record<string, Measured>): Record<string, Measured> =>
  Object.fromEntries(
    Object.entries({ ...one, ...other }).map(([name, last]) => {
      const { heap, resident, lagMs } = one[name] ?? last;
      return [
        name,
        {
          heap: Math.max(heap, last.heap),
          resident: Math.max(resident, last.resident),
          lagMs: Math.max(lagMs, last.lagMs),
        },
      ];
    }),
  );

/** The most that each server has used in the whole run. */
export const mostOf = ({ measured }: Findings): Record<string, Measured> =>
  Object.values(measured).reduce(most, {});

/** Runs some cells of the matrix at the same time. */
const runCells = async (
  product: Product,
  calls: ReturnType<typeof greedyCalls>,
  cells: readonly Cell[],
  load: Load,
  findings: Findings,
): Promise<void> => {
  const name = cells.length === 1 ? (cells[0] as Cell).join(': ') : 'all together';
  const signal = AbortSignal.timeout(load.cellMs);
  const watching = (async () => {
    while (!signal.aborted) {
      const now = await product.measure().catch(() => ({}));
      findings.measured[name] = most(findings.measured[name] ?? {}, now);
      await sleep(500);
    }
  })();
  await Promise.all([
    watching,
    probe(product, name, signal, findings.probes),
    probeWebhooks(product, name, signal, findings.probes),
    ...cells.map((cell) => {
      const [, way] = cell;
      const make = calls(cell);
      const counts: Record<string, number> = {};
      findings.greedy[cell.join(': ')] = counts;
      return make && ATTACKS[way](make, load, signal, counts);
    }),
  ]);
};

/** Runs the whole matrix: the greedy organization uses each server in each way, while the neighbour makes its calls. */
export const runMatrix = async (load: Load): Promise<Findings> => {
  const product = await startProduct(load.rows);
  const findings: Findings = { probes: [], greedy: {}, measured: {}, ended: [] };
  for (const [name, process] of Object.entries(product.processes))
    process.exited.then((code) => findings.ended.push(`${name} ended with ${code}`));
  try {
    const calls = greedyCalls(product, await apiOperations(product));
    const cells = CELLS.filter(
      (cell) => calls(cell) !== undefined && new RegExp(load.only ?? '').test(cell.join(': ')),
    );
    const parts = load.isTogether ? [cells] : cells.map((cell) => [cell]);
    for (const part of parts) await runCells(product, calls, part, load, findings);
    return { ...findings, ended: [...findings.ended] };
  } finally {
    await product.close();
  }
};
