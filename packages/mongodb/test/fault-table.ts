import type { Document } from 'mongodb';
import {
  type DatabaseProxy,
  type Fault,
  quickPasswords,
  startDatabaseProxy,
} from '../../test-support/src/index.ts';
import { type Unavailability, unavailabilityOf } from '../src/index.ts';
import { openWholeStore, type WholeStore } from '../src/stores/whole-store.ts';
import { everyMethod, type Ground, type Method } from './every-method.ts';

/** The codes that mongod returns when it cannot work, except those that report a change of its replica set state. */
const UNREACHABLE_CODES = [6, 7, 43, 64, 89, 133, 134, 175, 202, 314, 317, 384, 391, 9001];
/** The codes after which the driver looks for a new primary, which takes half a second. */
const STATE_CHANGE_CODES = [91, 189, 10_107, 11_600, 11_602, 13_435, 13_436];
const OVERLOAD_CODES = [24, 50, 112, 262, 365, 462];
/** The codes after which an operator must act: writes are blocked, Atlas refuses them, the disk is full. */
const BLOCKED_CODES = [371, 8000, 14_031];

const error = (code: number): Fault => ({ kind: 'error', code });
const writeConcernError = (code: number): Fault => ({ kind: 'writeConcernError', code });

const cut = (when: 'before' | 'after'): Fault => ({ kind: 'cut', when });

/**
 * The faults that the release check tests with every method, each with the topology that the faulty database reports.
 */
export const ALL_FAULTS: readonly (readonly [Fault, Topology])[] = [
  ...[...UNREACHABLE_CODES, ...OVERLOAD_CODES, ...BLOCKED_CODES].flatMap((code): [Fault, Topology][] => [
    [error(code), 'standalone'],
    [writeConcernError(code), 'replicaSet'],
  ]),
  ...[6, 50, 462].map((code): [Fault, Topology] => [error(code), 'replicaSet']),
];
/**
 * Faults after which the driver waits for a primary or before a retry. Because of the wait, only the main methods are
 * tested with them.
 */
export const SLOW_FAULTS: readonly (readonly [Fault, Topology])[] = [
  ...STATE_CHANGE_CODES.flatMap((code): [Fault, Topology][] => [
    [error(code), 'replicaSet'],
    [writeConcernError(code), 'replicaSet'],
  ]),
  [{ kind: 'error', code: 1_000_001, labels: ['RetryableError', 'SystemOverloadedError'] }, 'standalone'],
  [cut('before'), 'standalone'],
  [cut('after'), 'replicaSet'],
  // A standalone server during an orderly shutdown.
  [error(91), 'standalone'],
  [error(11_600), 'standalone'],
];
/** One error of a standalone server. The release check tests the whole table. */
export const SOME_FAULTS: typeof ALL_FAULTS = [[error(50), 'standalone']];
/** A write without a majority and a step-down are tested with `MAIN_METHODS`. */
export const NO_MAJORITY = writeConcernError(64);
export const STEP_DOWN = error(10_107);
export const MAIN_METHODS: readonly string[] = [
  'patients.create',
  'patients.edit',
  'outbox.takeOut',
  'everyDeliveries.insert',
  'everyDeliveries.claim',
  'everyDeliveries.finish',
  'lanes.keepOpen',
];

export type Topology = 'standalone' | 'replicaSet';

/** A store whose database produces faults. */
type FaultyStore = { store: WholeStore; proxy: DatabaseProxy; close(): Promise<void> };

const openFaultyStore = async (ground: Ground, topology: Topology): Promise<FaultyStore> => {
  const proxy = await startDatabaseProxy(ground.url, { replicaSet: topology === 'replicaSet' });
  const { encryptionKeys } = ground;
  const store = openWholeStore({
    url: proxy.url,
    encryptionKeys,
    appName: 'test',
    patience: { waitMs: 5000, operationMs: 5000 },
    passwords: quickPasswords,
  });
  await store.connect();
  return {
    store,
    proxy,
    async close() {
      await store.close();
      await proxy.close();
    },
  };
};

/**
 * The expected classification of a fault. If the database returns a code or a label of overload for the command itself,
 * the fault counts as overloaded; otherwise as blocked or unreachable.
 */
const expectedOf = (fault: Fault): Unavailability => {
  if (fault.kind !== 'error') return 'unreachable';
  const { code, labels = [] } = fault;
  if (BLOCKED_CODES.includes(code)) return 'blocked';
  return OVERLOAD_CODES.includes(code) || labels.includes('SystemOverloadedError')
    ? 'overloaded'
    : 'unreachable';
};

/** Methods that check whether a majority has the write before they report a failure. */
const DONE_ALL_THE_SAME = ['everyEvents.enter'];

const WRITES = ['insert', 'update', 'delete', 'findAndModify'];

/** How often a command meets a fault: once, because the driver retries some commands once, or every time. */
const TIMES = [1, Number.POSITIVE_INFINITY];

/** The positions of faults among the commands of a method: the first of each command, and the last of all. */
const placesIn = (commands: readonly string[]): number[] => [
  ...new Set([...commands.map((command) => commands.indexOf(command)), commands.length - 1]),
];

/** Whether a method has sent this command. The uses of data keys are counted in the background, at any time. */
const isOfMethod = (name: string, { findAndModify }: Document): boolean =>
  name !== 'findAndModify' || findAndModify !== 'dataKeys';

/** The names of the commands that a call sends, in order. */
const commandsOf = async (
  call: Promise<(store: WholeStore) => Promise<unknown>>,
  { store, proxy }: FaultyStore,
) => {
  const commands: string[] = [];
  const end = proxy.inject({
    matches(name, command) {
      if (isOfMethod(name, command)) commands.push(name);
      return false;
    },
    fault: error(0),
  });
  await (await call)(store);
  end();
  return commands;
};

/** A call of a method with a fault at one of its commands. */
type Trial = { commands: readonly string[]; place: number; times: number; fault: Fault };

/** Calls a method with a fault at one of its commands, and then again without the fault. Returns the problems. */
const problemsOfTrial = async (
  name: string,
  call: (store: WholeStore) => Promise<unknown>,
  { store, proxy }: FaultyStore,
  { commands, place, times, fault }: Trial,
): Promise<string[]> => {
  // By its name, because what other methods do at the same time can add commands, for example after a collision of slots.
  const named = (each: string): boolean => each === commands[place];
  let before = commands.slice(0, place).filter(named).length;
  let isReached = false;
  const removeFault = proxy.inject({
    matches(command, document) {
      if (!isOfMethod(command, document)) return false;
      isReached ||= named(command) && before-- === 0;
      return isReached;
    },
    fault,
    times,
  });
  const thrown = await call(store).then(
    () => undefined,
    (reason: Error) => reason,
  );
  const met = removeFault();
  const where = `${name}, ${commands[place]} (${place + 1} of ${commands.length}), ${times} times`;
  // Whether the last command is sent can depend on what other methods do at the same time.
  if (met === 0) return place < commands.length - 1 ? [`${where}: the fault was not met`] : [];
  const problems: string[] = [];
  if (thrown !== undefined && unavailabilityOf(thrown) !== expectedOf(fault)) {
    problems.push(`${where}: ${unavailabilityOf(thrown)}, ${thrown.stack}`);
  }
  const isDone = fault.kind === 'writeConcernError' && DONE_ALL_THE_SAME.includes(name);
  if (thrown === undefined && times !== 1 && !isDone) problems.push(`${where}: reported success`);
  await call(store).catch((again: Error) => problems.push(`${where}, again: ${again.stack}`));
  return problems;
};

/**
 * Calls a method with a fault at each position, and then again without the fault.
 *
 * @returns the problems. There is a problem if an error does not mean that the database is unavailable, if the method
 *   reports success although the fault persists, or if the second call fails
 */
const problemsOfMethod = async (
  name: string,
  ground: Ground,
  faulty: FaultyStore,
  fault: Fault,
): Promise<string[]> => {
  const method = everyMethod[name] as Method;
  // The method is called once in advance, because the first call sends additional commands.
  await commandsOf(method(ground), faulty);
  const commands = await commandsOf(method(ground), faulty);
  if (commands.length === 0) return [`${name}: sends nothing`];

  const problems: string[] = [];
  for (const place of placesIn(commands)) {
    if (fault.kind === 'writeConcernError' && !WRITES.includes(commands[place] ?? '')) continue;
    for (const times of TIMES) {
      const trial = { commands, place, times, fault };
      problems.push(...(await problemsOfTrial(name, await method(ground), faulty, trial)));
    }
  }
  return problems;
};

/** Maximum number of methods that are called concurrently. */
const AT_ONCE = 24;

/** @returns the problems of these methods with this fault */
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
