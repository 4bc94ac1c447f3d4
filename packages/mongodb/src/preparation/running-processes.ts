import { randomUUID } from 'node:crypto';
import { within } from '@chairside/concurrency';
import { clock, type OutboundMode } from '@chairside/domain';
import { BUILD, UnusableDatabaseError, VERSION } from '@chairside/startup';
import { loggableError } from '@chairside/telemetry';
import type { SkewListener } from '../connection/clock-readings.ts';
import type { Collection, Database } from '../driver/database.ts';
import { databaseTime } from '../driver/statements.ts';
import { FORM, type Form, type FormDocument, inspectForm } from './database-form.ts';
import type { Usage, UsageCount } from './usage.ts';

/** How often a process renews its registration, in milliseconds. */
const RENEWAL_MS = 10_000;
/**
 * How long a registration counts without being renewed, in milliseconds. It outlives a short outage of the database, in
 * which no process can renew.
 */
const REGISTRATION_LIFE_MS = 120_000;
/** How long a stopping process tries to remove its registration, in milliseconds. */
const REMOVAL_MS = 1000;

/** A process that works on this database. `form` is the version of the form that it writes and reads. */
export type ProcessDocument = {
  _id: string;
  service: string;
  version: string;
  /** The commit of its build. */
  commit: string;
  form: number;
  /** The clock of its machine minus the database's clock, in milliseconds. */
  skewMs: number;
  /** A trusted proxy in front of it writes no address of its callers. Absent if none does, or if it is no server. */
  hasUnreadableCallers?: true;
  /** What a dispatcher does with deliveries. */
  outbound?: OutboundMode;
  /** What it was used for before the last renewal. */
  usage?: Usage;
  seenTime: Date;
};
export type RunningProcess = Omit<ProcessDocument, '_id' | 'seenTime' | 'usage'>;

/** Returns the registered processes that were seen in the last two minutes, by the clock of the database. */
export const runningProcesses = async (
  database: Database,
  processes: Collection<ProcessDocument>,
): Promise<RunningProcess[]> => {
  const now = await databaseTime(database);
  return processes
    .find(
      { seenTime: { $gt: new Date(now.getTime() - REGISTRATION_LIFE_MS) } },
      { projection: { _id: 0, seenTime: 0, usage: 0 }, sort: { service: 1, version: 1, commit: 1 } },
    )
    .toArray();
};

/** How long a process of a service counts as live without renewing its registration: three renewals. */
const LIVE_MS = 3 * RENEWAL_MS;

/** What the live processes were last used for, by their own words. */
export const usagesOf = async (
  database: Database,
  processes: Collection<ProcessDocument>,
): Promise<Usage[]> => {
  const now = await databaseTime(database);
  const live = { seenTime: { $gt: new Date(now.getTime() - LIVE_MS) }, usage: { $exists: true } };
  const found = await processes.find(live, { projection: { usage: 1 } }).toArray();
  return found.flatMap(({ usage }) => usage ?? []);
};

/** The number of registered processes of a service that are live, by the clock of the database. */
export const countLive = async (
  database: Database,
  processes: Collection<ProcessDocument>,
  service: string,
): Promise<number> => {
  const now = await databaseTime(database);
  return processes.countDocuments({ service, seenTime: { $gt: new Date(now.getTime() - LIVE_MS) } });
};

/**
 * What the live dispatchers do with deliveries: `off` if one skips them, else `hold` if one holds them.
 *
 * @param now the time of the database
 */
export const outboundOf = async (
  processes: Collection<ProcessDocument>,
  now: Date,
): Promise<OutboundMode> => {
  const modes = (
    await processes
      .find({ seenTime: { $gt: new Date(now.getTime() - LIVE_MS) } }, { projection: { outbound: 1 } })
      .toArray()
  ).map(({ outbound }) => outbound);
  return (['off', 'hold'] as const).find((mode) => modes.includes(mode)) ?? 'send';
};

const namesOf = (processes: readonly RunningProcess[]): string =>
  processes.map(({ service, version }) => `${service} ${version}`).join(', ');
const STOP_THEM = 'Stop them. A process that was killed counts for two minutes.';

/** A process runs that cannot read what this version writes. */
export class EarlierVersionRunsError extends UnusableDatabaseError {}

/** @throws {EarlierVersionRunsError} if a running process cannot read the form of this version */
export const checkRunningForms = async (
  database: Database,
  processes: Collection<ProcessDocument>,
  { oldestReader }: Form = FORM,
): Promise<void> => {
  const earlier = (await runningProcesses(database, processes)).filter(({ form }) => form < oldestReader);
  if (earlier.length === 0) return;
  throw new EarlierVersionRunsError(
    `These processes cannot read what version ${VERSION} writes: ${namesOf(earlier)}. ${STOP_THEM}`,
  );
};

/** @throws {UnusableDatabaseError} if a process runs */
export const checkNoProcessRuns = async (
  database: Database,
  processes: Collection<ProcessDocument>,
): Promise<void> => {
  const running = await runningProcesses(database, processes);
  if (running.length === 0) return;
  throw new UnusableDatabaseError(`These processes run: ${namesOf(running)}. ${STOP_THEM}`);
};

export type RegistrationOptions = {
  /** The name of the service, such as `api`. */
  service: string;
  /**
   * Called once if another version has changed the form of the database so that this version cannot read it any more.
   * The process must stop.
   *
   * @param problem a sentence for operators
   */
  onUnreadable(problem: string): void;
  /** Whether a trusted proxy in front of this process writes no address of its callers. Default: no */
  hasUnreadableCallers?: (() => boolean) | undefined;
  /** What this dispatcher does with deliveries. */
  outbound?: (() => OutboundMode) | undefined;
  /** Counts what this process is used for. */
  usage?: Pick<UsageCount, 'take'> | undefined;
  /** See `createClockReadings`. */
  onSkew: SkewListener;
  /** Called when a renewal fails after one that succeeded, or when the first one fails. */
  onFailed(error: unknown): void;
};

/** Returns a listener that logs the skew. */
export const loggedSkew =
  (log: () => { warn(fields: object, message: string): void }): SkewListener =>
  (skewMs) =>
    log().warn(
      { skewSeconds: Math.round(skewMs / 1000) },
      'the clock of this machine differs from that of the database',
    );

/**
 * Returns options that log skew and a failed renewal, and stop this process as SIGTERM does if it cannot read the
 * database.
 */
export const loggedRegistration = (
  service: string,
  log: () => {
    warn(fields: object, message: string): void;
    fatal(fields: object, message: string): void;
  },
  hasUnreadableCallers?: () => boolean,
): RegistrationOptions => ({
  service,
  hasUnreadableCallers,
  onUnreadable(problem) {
    log().fatal({ reason: problem }, 'the form of the database has changed');
    process.kill(process.pid, 'SIGTERM');
  },
  onSkew: loggedSkew(log),
  onFailed: (error) =>
    log().warn({ reason: loggableError(error).message }, 'this process cannot register in the database'),
});

/** The registration of this process. */
export type Registration = {
  /** @throws the error of the database */
  register(): Promise<void>;
  /** Registers this process, and from then on renews the registration and checks the form of the database. */
  keep(): void;
  /** Removes the registration. If that fails, the process counts for two more minutes. */
  end(): Promise<void>;
};

export const openRegistration = (
  {
    processes,
    databaseForm,
  }: { processes: Collection<ProcessDocument>; databaseForm: Collection<FormDocument> },
  {
    service,
    outbound,
    usage,
    hasUnreadableCallers = () => false,
    onUnreadable,
    onFailed,
  }: RegistrationOptions,
  form: Form = FORM,
): Registration => {
  const _id = randomUUID();
  const fields = {
    service,
    version: VERSION,
    commit: BUILD.commit,
    form: form.current,
  };
  let timer: NodeJS.Timeout | undefined;
  let renewal = Promise.resolve();
  let isFailing = false;

  const register = async (): Promise<void> => {
    const skewMs = Math.round(clock.skewMs() ?? 0);
    await processes.updateOne(
      { _id },
      {
        $set: {
          ...fields,
          skewMs,
          ...(outbound && { outbound: outbound() }),
          ...(usage && { usage: usage.take() }),
          ...(hasUnreadableCallers() && { hasUnreadableCallers: true as const }),
        },
        $currentDate: { seenTime: true },
      },
      { upsert: true },
    );
  };
  const renew = async (): Promise<void> => {
    try {
      await register();
      const { problem } = await inspectForm(databaseForm, form);
      isFailing = false;
      if (problem === undefined) return;
      clearInterval(timer);
      onUnreadable(problem);
    } catch (error) {
      if (!isFailing) onFailed(error);
      isFailing = true;
    }
  };

  return {
    register,
    keep() {
      if (timer !== undefined) return;
      renewal = renew();
      timer = setInterval(() => {
        renewal = renew();
      }, RENEWAL_MS).unref();
    },
    async end() {
      clearInterval(timer);
      timer = undefined;
      const remove = async () => {
        // A renewal that came later would store the registration again.
        await renewal;
        await processes.deleteOne({ _id });
      };
      await within(remove(), REMOVAL_MS).catch(() => {});
    },
  };
};
