import {
  type DatabaseProxy,
  type Fault,
  quickPasswords,
  startDatabaseProxy,
} from '../../test-support/src/index.ts';
import { openStore, type Store, type Unavailability, unavailabilityOf } from '../src/index.ts';
import { everyMethod, type Ground, type Method } from './every-method.ts';

/** What mongod says when it cannot work, but not that its member's state changes. */
const AWAY_CODES = [6, 7, 43, 64, 89, 133, 134, 175, 202, 9001];
/** After these the driver looks for a primary, which takes it half a second. */
const STATE_CHANGE_CODES = [91, 189, 10_107, 11_600, 11_602, 13_435, 13_436];
const OVERLOAD_CODES = [50, 262, 462];

const error = (code: number): Fault => ({ kind: 'error', code });
const writeConcernError = (code: number): Fault => ({ kind: 'writeConcernError', code });

const cut = (when: 'before' | 'after'): Fault => ({ kind: 'cut', when });

/** Every other fault, and as what the database poses that makes it. */
export const ALL_FAULTS: readonly (readonly [Fault, Topology])[] = [
  ...[...AWAY_CODES, ...OVERLOAD_CODES].flatMap((code): [Fault, Topology][] => [
    [error(code), 'standalone'],
    [writeConcernError(code), 'replicaSet'],
  ]),
  ...[6, 50, 462].map((code): [Fault, Topology] => [error(code), 'replicaSet']),
];
/** After these the driver waits, for a primary or before it tries again: only the main methods meet them. */
export const SLOW_FAULTS: readonly (readonly [Fault, Topology])[] = [
  ...STATE_CHANGE_CODES.flatMap((code): [Fault, Topology][] => [
    [error(code), 'replicaSet'],
    [writeConcernError(code), 'replicaSet'],
  ]),
  [{ kind: 'error', code: 1_000_001, labels: ['RetryableError', 'SystemOverloadedError'] }, 'standalone'],
  [cut('before'), 'standalone'],
  [cut('after'), 'replicaSet'],
  // A server by itself that is stopped in good order.
  [error(91), 'standalone'],
  [error(11_600), 'standalone'],
];
/** One of each class, but for what the driver needs time for. */
export const SOME_FAULTS: typeof ALL_FAULTS = [
  [error(50), 'standalone'],
  [error(6), 'replicaSet'],
  [writeConcernError(64), 'replicaSet'],
];
/** A step-down, and the methods on which the most depends. */
export const STEP_DOWN = error(10_107);
export const MAIN_METHODS: readonly string[] = [
  'patients.create',
  'patients.edit',
  'outbox.takeOut',
  'everyEvents.insert',
  'everyDeliveries.insert',
  'everyDeliveries.claim',
  'everyDeliveries.finish',
  'lanes.keepOpen',
];

export type Topology = 'standalone' | 'replicaSet';

/** A store whose database makes faults. */
type FaultyStore = { store: Store; proxy: DatabaseProxy; close(): Promise<void> };

const openFaultyStore = async (ground: Ground, topology: Topology): Promise<FaultyStore> => {
  const proxy = await startDatabaseProxy(ground.url, { replicaSet: topology === 'replicaSet' });
  const { encryptionKeys } = ground;
  const store = openStore({
    url: proxy.url,
    encryptionKeys,
    appName: 'test',
    patience: { wait: 5000, operation: 5000 },
    passwords: quickPasswords,
  });
  await store.ping();
  return {
    store,
    proxy,
    async close() {
      await store.close();
      await proxy.close();
    },
  };
};

/** The database has too much to do when it says so of the command itself; else it is away. */
const expectedOf = (fault: Fault): Unavailability => {
  if (fault.kind !== 'error') return 'away';
  const { code, labels = [] } = fault;
  return OVERLOAD_CODES.includes(code) || labels.includes('SystemOverloadedError') ? 'overloaded' : 'away';
};

/** What reads whether a majority has the write before it fails. */
const DONE_ALL_THE_SAME = ['everyEvents.stamp'];

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];

/** How often a fault meets a command: the driver repeats some once. */
const TIMES = [1, Number.POSITIVE_INFINITY];

/** Of what a method sends, the places where a fault is made: the first of each command, and the last of all. */
const placesIn = (commands: readonly string[]): number[] => [
  ...new Set([...commands.map((command) => commands.indexOf(command)), commands.length - 1]),
];

/**
 * Calls a method with a fault at each place, and again without it.
 *
 * @returns what is not as it should be: a method that fails for another reason than that the database is unavailable,
 *   one that says it succeeded although the fault stayed, and one that fails when it is called again
 */
const problemsOfMethod = async (
  name: string,
  ground: Ground,
  { store, proxy }: FaultyStore,
  fault: Fault,
): Promise<string[]> => {
  const method = everyMethod[name] as Method;
  // Once before, for what is asked for at the first call only.
  await (await method(ground))(store);
  proxy.sent.length = 0;
  await (await method(ground))(store);
  const commands = [...proxy.sent];
  if (commands.length === 0) return [`${name}: sends nothing`];

  const problems: string[] = [];
  for (const place of placesIn(commands)) {
    const command = commands[place] as string;
    if (fault.kind === 'writeConcernError' && !WRITES.includes(command)) continue;
    for (const times of TIMES) {
      const call = await method(ground);
      let seen = 0;
      const takeBack = proxy.inject({ matches: () => seen++ >= place, fault, times });
      const thrown = await call(store).then(
        () => undefined,
        (reason: Error) => reason,
      );
      const met = takeBack();
      const where = `${name}, ${command} (${place + 1} of ${commands.length}), ${times} times`;
      if (met === 0) {
        // How much the last of many commands has to do, others decide who work beside it.
        if (place < commands.length - 1) problems.push(`${where}: the fault was not met`);
        continue;
      }
      if (thrown !== undefined && unavailabilityOf(thrown) !== expectedOf(fault)) {
        problems.push(`${where}: ${unavailabilityOf(thrown)}, ${thrown.stack}`);
      }
      const isDone = fault.kind === 'writeConcernError' && DONE_ALL_THE_SAME.includes(name);
      if (thrown === undefined && times !== 1 && !isDone) problems.push(`${where}: said that it succeeded`);
      await call(store).catch((again: Error) => problems.push(`${where}, again: ${again.stack}`));
    }
  }
  return problems;
};

/** How many methods are called at once: most of their time they wait for the driver to find a primary. */
const AT_ONCE = 24;

/** @returns what is not as it should be, of these methods under this fault */
export const problemsWith = async (
  fault: Fault,
  topology: Topology,
  ground: Ground,
  methods: readonly string[] = Object.keys(everyMethod),
): Promise<string[]> => {
  const left = [...methods];
  const problems: string[] = [];
  const work = async () => {
    const faulty = await openFaultyStore(ground, topology);
    for (let name = left.pop(); name !== undefined; name = left.pop()) {
      problems.push(...(await problemsOfMethod(name, ground, faulty, fault)));
    }
    await faulty.close();
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, methods.length) }, work));
  return problems;
};
