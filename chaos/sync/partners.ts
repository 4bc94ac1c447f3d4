import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Chairside } from '@chairside/client';
import { newId, scopes } from '@chairside/domain';
import { createKey, type ServiceProcess, skewedBy, startProgram } from '@chairside/test-support';
import { judgeSync } from '../judge-sync.ts';
import { openRandom } from '../random.ts';
import { keepLog, type Running, type Service, subscribe } from '../service.ts';
import { startAppTarget, type Target } from '../target.ts';
import type { Acknowledged } from '../writes.ts';
import { type Control, readFileOf, replaceFileOf } from './files.ts';
import { fieldsOf, type Kind, type State, type SyncEvidence, viewOf } from './records.ts';

/** The systems: the api that each uses, and how far its clock is ahead, in milliseconds. */
const SYSTEMS = {
  'partner a': { api: 'first', skewMs: 300_000 },
  'partner b': { api: 'second', skewMs: -300_000 },
} as const;
type Name = keyof typeof SYSTEMS;

/** The longest pause between two kills of a system, in milliseconds. */
const KILL_EVERY_MS = 20_000;
/** How long the systems may take to become equal after everything is up again, in milliseconds. */
const EQUAL_WITHIN_MS = 120_000;
const CONTROL_INTERVAL_MS = 100;

export type Partners = {
  readonly acknowledged: readonly Acknowledged[];
  readonly kills: number;
  /** Ends the changes, and waits until both systems have what the service has. */
  stop(): Promise<void>;
  evidence(): SyncEvidence;
};

/** A clinic of its own, whose events go to the healthy receiver. */
const openClinic = async (service: Service): Promise<string> => {
  const clinicId = newId();
  const named = { name: 'West', currency: 'EUR', timezone: 'UTC', lastEditTime: new Date().toISOString() };
  await service.practice.store.clinics.create({ _id: clinicId, ...named });
  await subscribe(service, clinicId, 'healthy');
  return clinicId;
};

/**
 * Starts two systems of partners that change the same patients and appointments, sync them both ways through two apis, have
 * clocks that are ten minutes apart, and are killed.
 */
export const startPartners = async (
  service: Service,
  running: Running,
  { logs, seed, signal }: { logs: string; seed: number; signal: AbortSignal },
): Promise<Partners> => {
  const clinicId = await openClinic(service);
  const acknowledged: Acknowledged[] = [];
  let isEnding = false;
  const control = (): void => {
    const content: Control = { addresses: service.addresses, isEnding };
    replaceFileOf(logs, 'control', content);
  };
  control();
  // The apis listen on other ports after each start.
  const timer = setInterval(control, CONTROL_INTERVAL_MS);
  running.push({ stop: async () => clearInterval(timer) });

  const ends: (() => Promise<unknown>)[] = [];
  const startOne = async (name: Name): Promise<Target> => {
    const { api, skewMs } = SYSTEMS[name];
    const key = { name, scopes: [...scopes], rateLimit: 6000 };
    const { secret } = await createKey(service.practice.store, key, new Date());
    const environment = {
      ...{ SYNC_NAME: name, SYNC_API: api, SYNC_FOLDER: logs, SYNC_CLINIC: clinicId },
      ...{ SYNC_KEY: secret, SYNC_SEED: String(seed), ...skewedBy(skewMs) },
    };
    const program = join(import.meta.dirname, 'system.ts');
    const { target, end } = await startAppTarget({
      name,
      start: () => startProgram(['--conditions=@chairside/source', program], environment),
      untilReady: async (system: ServiceProcess) => void (await system.logged(({ msg }) => msg === 'syncs')),
      onEnded: (what) => void service.misconduct.push(what),
      onGone({ lines }) {
        keepLog(logs, name, lines);
        for (const { msg, event, recordId, lastEditTime } of lines)
          if (msg === 'acknowledged') acknowledged.push({ event, recordId, lastEditTime });
      },
      signal,
    });
    running.push({ stop: () => end('SIGKILL') });
    ends.push(() => end('SIGTERM'));
    return target;
  };
  const names = Object.keys(SYSTEMS) as Name[];
  const targets = await Promise.all(names.map(startOne));

  const kill = async (): Promise<void> => {
    const random = openRandom(seed, 'kills of systems');
    while (!isEnding) {
      await sleep(random.below(KILL_EVERY_MS), undefined, { signal });
      const target = random.pick(targets);
      await target.whenUp();
      if (!isEnding) await target.kill(random.pick([0, 500, 3000]));
    }
  };
  const killing = kill();
  killing.catch(() => {});

  const systems = (): SyncEvidence['systems'] =>
    Object.fromEntries(
      names.map((name) => {
        const state = readFileOf<State>(logs, name);
        const unwritten = Object.values(state.copies).filter(({ change }) => change !== undefined).length;
        return [name, { records: viewOf(state), unwritten }];
      }),
    );
  const stored = async (): Promise<SyncEvidence['service']> => {
    const { apiKey } = service.practice;
    const chairside = new Chairside({ baseUrl: service.addresses.first, apiKey });
    const patients = await chairside.patients.list({ clinicId }).toArray();
    const appointments = await chairside.appointments.list({ clinicId }).toArray();
    const rowOf = (kind: Kind) => (record: { externalId?: string }) => ({
      externalId: record.externalId ?? 'none',
      fields: fieldsOf(kind, record),
    });
    return [...patients.map(rowOf('patient')), ...appointments.map(rowOf('appointment'))];
  };
  let last: SyncEvidence = { systems: {}, service: [] };

  return {
    acknowledged,
    get kills() {
      return targets.reduce((sum, target) => sum + target.kills, 0);
    },
    evidence: () => last,
    async stop() {
      isEnding = true;
      control();
      await killing;
      await Promise.all(targets.map((target) => target.whenUp()));
      const until = performance.now() + EQUAL_WITHIN_MS;
      do {
        await sleep(1000, undefined, { signal });
        last = { systems: systems(), service: await stored() };
      } while ([...judgeSync({ sync: last })].length > 0 && performance.now() < until);
      await Promise.all(ends.map((end) => end()));
      clearInterval(timer);
    },
  };
};
