import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engines, startEngines } from '@chairside/local-services';
import { type Ledger, openLedger } from '../ledger.ts';
import { programOf } from '../processes.ts';
import { type Receiver, startReceiver } from '../receiver.ts';
import { openService, type Service } from '../service.ts';
import { type Generator, startGenerator } from './generator.ts';

/** The numbers of subscriptions that the clinics of this bench have. */
export const SUBSCRIPTIONS = [1, 5, 20] as const;
export type Subscriptions = (typeof SUBSCRIPTIONS)[number];

/** The number of API keys of the generator. No key must reach its rate limit. */
const KEYS = 10;
/** The ledger stops waiting for deliveries after this many milliseconds without any arrival. */
const PATIENCE_MS = 20_000;

/** The deliveries of the whole run: due (of calls with a response of 200), lost, and arrived more than once. */
export type Totals = {
  due: number;
  lost: number;
  doubled: number;
  /** The deliveries that did not arrive and have an outcome with the reason. */
  ended: Map<string, number>;
};

/** The service, the engines and the helpers that all parts of this bench use. */
export type Ground = {
  engines: Engines;
  service: Service;
  receiver: Receiver;
  generator: Generator;
  ledger: Ledger;
  /** The generator's values of the header `Authorization`. */
  authorizations: readonly string[];
  /** A clinic for each number of subscriptions. */
  clinics: Readonly<Record<Subscriptions, string>>;
  /** The processes that every contestant uses, by name. */
  processes: Readonly<Record<string, number>>;
  totals: Totals;
  /** Whether this is a short run to try the bench. */
  isQuick: boolean;
  /** Stops everything that was started, in reverse order. */
  running: AsyncDisposableStack;
};

const engineProcesses = ({ mongodb, redis }: Engines): Record<string, number> =>
  Object.fromEntries([...mongodb.pids, ...redis.pids].map((pid) => [programOf(pid), pid]));

/** Starts engines with durable writes in a temporary folder, like `npm start`. */
const startKeepingEngines = async (running: AsyncDisposableStack, signal: AbortSignal): Promise<Engines> => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'chairside-bench-'));
  running.defer(() => rm(dataDirectory, { recursive: true, force: true }));
  const engines = await startEngines({ dataDirectory, onProgress: console.log, signal });
  running.defer(() => engines.stop());
  return engines;
};

/**
 * Starts the engines, the receiver and the generator, and creates the practice.
 *
 * @param running receives everything that was started, even if this function throws
 * @param signal ends the start of the engines
 */
export const openGround = async (
  running: AsyncDisposableStack,
  signal: AbortSignal,
  isQuick: boolean,
): Promise<Ground> => {
  const engines = await startKeepingEngines(running, signal);
  const service = await openService(engines.mongodb.url, engines.redis.url);
  running.defer(() => service.close());
  const receiver = await startReceiver();
  running.defer(() => receiver.stop());
  const generator = await startGenerator();
  running.defer(() => generator.stop());
  const clinics: Record<number, string> = {};
  for (const count of SUBSCRIPTIONS) {
    clinics[count] = (await service.createClinic(Array<string>(count).fill(receiver.url))).clinicId;
  }
  const authorizations: string[] = [];
  for (let index = 0; index < KEYS; index++) {
    authorizations.push(`Basic ${Buffer.from(await service.createApiKey()).toString('base64')}`);
  }
  return {
    engines,
    service,
    receiver,
    generator,
    ledger: openLedger(receiver, service.database, PATIENCE_MS),
    authorizations,
    clinics: clinics as Ground['clinics'],
    processes: { ...engineProcesses(engines), generator: generator.pid, receiver: receiver.pid },
    totals: { due: 0, lost: 0, doubled: 0, ended: new Map() },
    isQuick,
    running,
  };
};
