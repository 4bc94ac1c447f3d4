import { within } from '@chairside/concurrency';
import { CLOCK_TOLERANCE_MS, clock, isMailbox, newId } from '@chairside/domain';
import type { BacklogSize } from '@chairside/mongodb';
import {
  type AdministrationStore,
  type Inspection,
  openAdministrationStore,
} from '@chairside/mongodb/administration';
import { BUILD } from '@chairside/startup';
import type { Command } from 'commander';
import { type CommonOptions, print, say, storeOptions } from './command.ts';
import { type Config, readConfig } from './config.ts';
import { sentenceOf } from './failure.ts';
import type { Verdict } from './verdict.ts';

const OLDEST_MONGODB = 7;

/** The parts of an inspection that a verdict is about. */
type Of<Part extends keyof Inspection> = Pick<Inspection, Part>;

const versionVerdict = ({ version }: Of<'version'>): Verdict =>
  Number.parseInt(version, 10) >= OLDEST_MONGODB
    ? { check: 'MongoDB', ok: true, finding: `reachable, version ${version}` }
    : {
        check: 'MongoDB',
        ok: false,
        finding: `reachable, version ${version}`,
        hint: `Use version ${OLDEST_MONGODB} or later.`,
      };

const indexVerdict = ({ missingIndexes: missing }: Of<'missingIndexes'>): Verdict => {
  const check = 'indexes';
  if (missing.length === 0) return { check, ok: true, finding: 'complete' };
  const finding = `${missing.length} missing: ${missing.join(', ')}`;
  return { check, ok: false, finding, hint: 'Run: chairside-admin indexes apply' };
};

const topologyVerdict = ({ topology: { kind, dataMembers, arbiters } }: Of<'topology'>): Verdict => {
  const check = 'topology';
  const hint = 'Use a replica set of three members with data: docs/operation/install.md, "Replica set".';
  if (kind === 'standalone')
    return { check, ok: true, finding: 'a standalone server, without failover', hint };
  if (kind === 'sharded') return { check, ok: true, finding: 'a sharded cluster' };
  const finding = `a replica set of ${dataMembers} with data and ${arbiters} arbiters`;
  // With two members with data and an arbiter, no write is acknowledged while one of the two is down.
  if (arbiters > 0 && dataMembers < 3) return { check, ok: false, finding, hint };
  return { check, ok: true, finding, ...(dataMembers < 3 && { hint }) };
};

/** The clocks of this machine and of the machines of running processes that differ much from the database's clock. */
const clockVerdict = ({ skewMs, processes }: Of<'skewMs' | 'processes'>): Verdict => {
  const check = 'clocks';
  const machines = [{ service: 'this machine', skewMs }, ...processes];
  const wrong = machines.filter((machine) => Math.abs(machine.skewMs) > CLOCK_TOLERANCE_MS);
  if (wrong.length === 0) return { check, ok: true, finding: 'agree with the database to within 2 s' };
  const described = wrong.map(
    (machine) =>
      `${machine.service} is ${Math.round(Math.abs(machine.skewMs) / 1000)} s ${machine.skewMs < 0 ? 'behind' : 'ahead'}`,
  );
  const hint =
    'Nothing is lost: the services use the clock of the database. Synchronize all machines with NTP.';
  return { check, ok: false, finding: `compared with the database, ${described.join(', ')}`, hint };
};

/** Mails that wait longer than this are reported, in milliseconds. */
const MAX_MAIL_MS = 15 * 60_000;

const mailsVerdict = ({ queuedMails, oldestMailMs }: BacklogSize): Verdict => {
  const check = 'waiting mails';
  const ok = oldestMailMs <= MAX_MAIL_MS;
  const age = oldestMailMs === 0 ? '' : `, the oldest for ${Math.round(oldestMailMs / 1000)} s`;
  const hint =
    'The mail server cannot be used, or no dispatcher with MAIL_URL runs. Test it: chairside-admin doctor --mail <address>';
  return { check, ok, finding: `${queuedMails}${age}`, ...(!ok && { hint }) };
};

/** The age of the oldest unsent event or delivery from which on `doctor` reports it, in milliseconds. */
const MAX_UNSENT_MS = 5 * 60_000;

const backlogVerdict = ({ queued, oldestUnsentMs, ...subscriptions }: BacklogSize): Verdict => {
  const check = 'backlog';
  const ok = oldestUnsentMs <= MAX_UNSENT_MS;
  const age = oldestUnsentMs === 0 ? '' : `, the oldest for ${Math.round(oldestUnsentMs / 1000)} s`;
  const finding = `${queued} queued deliveries${age}; ${subscriptions.disabledSubscriptions} disabled subscriptions, ${subscriptions.slowedSubscriptions} slowed down`;
  const hint = 'See docs/operation/repair.md: a receiver may be slow, or no dispatcher may be running.';
  return { check, ok, finding, ...(!ok && { hint }) };
};

/** What the levers of docs/operation/levers.md stop. */
const stopsVerdict = ({ processes, stops }: Of<'processes' | 'stops'>): Verdict => {
  const check = 'outbound';
  const modes = new Set(processes.flatMap(({ outbound }) => outbound ?? []));
  const suspended = stops.filter(({ organizationId }) => organizationId !== undefined).length;
  const finding = [
    `dispatchers ${[...modes].join(' and ') || 'none registered'}`,
    `${suspended} organizations suspended, ${stops.length - suspended} hosts blocked`,
  ].join('; ');
  const isStopped = stops.length > 0 || modes.has('hold') || modes.has('off');
  return { check, ok: true, finding, ...(isStopped && { hint: 'See docs/operation/levers.md.' }) };
};

const RESTORES: Readonly<Record<Inspection['restore'], string>> = {
  current: 'none',
  restored: 'this database was restored from a backup; dispatchers hold everything',
  sealed: 'this database was restored and sealed; dispatchers hold what waits',
  unknown: 'without a vault, a restore is not noticed',
};

const restoreVerdict = ({ restore }: Of<'restore'>): Verdict => {
  const hint =
    restore === 'sealed'
      ? 'Run chairside-admin outbound release, or outbound discard.'
      : 'Run chairside-admin restore seal, or restore none: docs/operation/backup.md, "Restore".';
  const ok = restore === 'current' || restore === 'unknown';
  return { check: 'restore', ok, finding: RESTORES[restore], ...(!ok && { hint }) };
};

const formVerdict = ({ form: { stored, problem } }: Of<'form'>): Verdict => {
  const check = 'form of the database';
  return problem === undefined
    ? { check, ok: true, finding: stored === 0 ? 'none yet' : String(stored) }
    : { check, ok: false, finding: String(stored), hint: problem };
};

/** How a line names a build: the version, and the first digits of the commit. */
const buildOf = ({ version, commit }: { version: string; commit: string }): string =>
  `${version} (${commit.replace(/^([0-9a-f]{12})[0-9a-f]+/, '$1')})`;

const processesVerdict = ({ processes }: Of<'processes'>): Verdict => {
  const check = 'running processes';
  if (processes.length === 0) return { check, ok: true, finding: 'none registered' };
  const counts = Map.groupBy(processes, (each) => `${each.service} ${buildOf(each)}`);
  const finding = [...counts].map(([name, same]) => `${same.length} × ${name}`).join(', ');
  const isMixed = processes.some((each) => buildOf(each) !== buildOf(BUILD));
  const hint = `This is chairside-admin ${buildOf(BUILD)}. Finish the upgrade, or use the chairside-admin of the services: docs/operation/upgrade.md`;
  return { check, ok: true, finding, ...(isMixed && { hint }) };
};

/** Whether the api and the dashboard know the addresses of their callers. The connector does not register. */
const callersVerdict = ({ processes }: Of<'processes'>): Verdict => {
  const check = 'addresses of callers';
  const services = new Set(
    processes.filter(({ hasUnreadableCallers }) => hasUnreadableCallers).map(({ service }) => service),
  );
  if (services.size === 0)
    return { check, ok: true, finding: 'no registered process has a proxy that writes none' };
  const finding = `a trusted proxy in front of ${[...services].join(', ')} writes no IP address into X-Forwarded-For`;
  const hint =
    'All its callers count as one network, so they share its limits. Configure the proxy to write the address of the caller, then restart these processes: docs/operation/repair.md';
  return { check, ok: false, finding, hint };
};

const privilegesVerdict = ({
  privileges: { isAuthenticated, missing, beyond },
}: Of<'privileges'>): Verdict => {
  const check = 'privileges';
  const role = 'docs/operation/install.md, "The database user of the services".';
  if (!isAuthenticated) {
    const hint = `Turn on access control in production: ${role}`;
    return { check, ok: true, finding: 'the database asks for no user', hint };
  }
  if (missing.length > 0) {
    const finding = `the user of MONGODB_URL lacks ${missing.join(', ')}`;
    return { check, ok: false, finding, hint: `Give it the role readWrite: ${role}` };
  }
  if (beyond.length === 0) return { check, ok: true, finding: 'the user of MONGODB_URL has what it needs' };
  const finding = `the user of MONGODB_URL has more than it needs: ${beyond.join(', ')}`;
  return { check, ok: true, finding, hint: `The role readWrite on one database is enough: ${role}` };
};

const placesOf = (refused: readonly { collection: string; _id: string }[]): string =>
  refused
    .slice(0, 10)
    .map(({ collection, _id }) => `${collection} ${_id}`)
    .join(', ');

/** A stored object of a key that is not in OAUTH_KEYS counts as absent, so the app has to connect again. */
const oauthVerdict = ({ oauth }: Of<'oauth'>): Verdict => {
  const check = 'OAuth keys';
  if (oauth === undefined) return { check, ok: true, finding: 'not examined: OAUTH_KEYS is not set' };
  const unknown = oauth.keys.filter(({ isConfigured }) => !isConfigured);
  const lost = unknown.reduce((sum, { secrets }) => sum + secrets, 0);
  if (lost > 0) {
    const finding = `${lost} stored objects of connected apps were encrypted with keys that are not in OAUTH_KEYS`;
    const hint =
      'Add the keys that were used with this database, after the first key. Otherwise these apps have to connect again.';
    return { check, ok: false, finding, hint };
  }
  if (oauth.refused.length > 0) {
    const finding = `OAUTH_KEYS cannot decrypt everything: ${placesOf(oauth.refused)}`;
    const hint = 'These objects were changed outside of Chairside. Their apps have to connect again.';
    return { check, ok: false, finding, hint };
  }
  return { check, ok: true, finding: `decrypt ${oauth.opened} stored objects` };
};

const encryptionVerdict = ({ encryption, secrets }: Of<'encryption' | 'secrets'>): Verdict => {
  const check = 'encryption keys';
  if (encryption === 'refused' || secrets.refused.length > 0) {
    const places = [encryption === 'refused' ? 'the check value' : '', placesOf(secrets.refused)];
    return {
      check,
      ok: false,
      finding: `ENCRYPTION_KEYS cannot decrypt everything: ${places.filter((place) => place !== '').join(', ')}`,
      hint: 'Add the keys that were used with this database, after the first key.',
    };
  }
  if (encryption === 'fresh') return { check, ok: true, finding: 'the database is new, any keys are valid' };
  return { check, ok: true, finding: `decrypt the check value and ${secrets.opened} stored secrets` };
};

/**
 * Reports how many secrets are under each key. After a rotation, a service that was not restarted still writes under an
 * old key, so that the key may be in use again.
 */
const keyUseVerdict = ({ secrets: { keys } }: Of<'secrets'>): Verdict => {
  const check = 'use of encryption keys';
  const counted = keys.map(({ id, secrets }) => `${id} ${secrets === 0 ? 'unused' : `in use (${secrets})`}`);
  const finding = counted.join(', ');
  const missing = keys.filter(({ isConfigured }) => !isConfigured).map(({ id }) => id);
  if (missing.length > 0) {
    const hint = `Add ${missing.join(', ')} to ENCRYPTION_KEYS, after the first key. Without it these secrets are lost.`;
    return { check, ok: false, finding: `${finding}; not in ENCRYPTION_KEYS: ${missing.join(', ')}`, hint };
  }
  const [first, ...old] = keys;
  if (first === undefined || old.length === 0) return { check, ok: true, finding };
  const used = old.filter(({ secrets }) => secrets > 0).map(({ id }) => id);
  const unused = old.filter(({ secrets }) => secrets === 0).map(({ id }) => id);
  const condition = `After every process of the services was restarted with ${first.id} first`;
  const hints = [
    ...(used.length > 0
      ? [`Keep ${used.join(', ')}. ${condition}, run: chairside-admin encryption rotate`]
      : []),
    ...(unused.length > 0 ? [`${condition}, ${unused.join(', ')} can be dropped from ENCRYPTION_KEYS.`] : []),
  ];
  return { check, ok: true, finding, hint: hints.join(' ') };
};

/** How many organizations one line lists. */
const MAX_LISTED = 10;

const dataKeysVerdict = ({ unusableKeys }: Of<'unusableKeys'>): Verdict => {
  const check = 'data keys';
  if (unusableKeys.length === 0) return { check, ok: true, finding: 'no organization lacks its keys' };
  const listed = unusableKeys.slice(0, MAX_LISTED).join(', ');
  const more = unusableKeys.length > MAX_LISTED ? ` and ${unusableKeys.length - MAX_LISTED} more` : '';
  const finding = `they are missing or cannot be decrypted for these organizations: ${listed}${more}`;
  const hint =
    'Nothing of their patients can be read or written. See docs/operation/repair.md, "Lost data keys".';
  return { check, ok: false, finding, hint };
};

const sealedVerdict = ({ sealed: { opened, refused } }: Of<'sealed'>): Verdict => {
  const check = 'encryption of patients';
  if (refused.length > 0) {
    const named = refused.slice(0, 10).map(({ name, _id }) => `${name} ${_id}`);
    const finding = `${refused.length} of a sample do not open: ${named.join(', ')}`;
    const hint =
      'Run: chairside-admin encryption check. It finds all of them. See docs/operation/repair.md, "A value that does not open".';
    return { check, ok: false, finding, hint };
  }
  return { check, ok: true, finding: `${opened} values of a sample were decrypted` };
};

const vaultVerdict = ({ vault: { hasVault, problem } }: Of<'vault'>): Verdict => {
  const check = 'vault';
  if (problem !== undefined)
    return { check, ok: false, finding: 'cannot be used with this database', hint: problem };
  if (hasVault) return { check, ok: true, finding: 'has the data keys of this database' };
  const hint =
    'The backups of a deleted organization can be read with ENCRYPTION_KEYS: docs/operation/backup.md, "The vault".';
  return { check, ok: true, finding: 'none: the data keys are in the database itself', hint };
};

/** A check of the database: the parts that it needs, and what they say. */
type DatabaseCheck = { check: string; examine(store: Examined): Promise<Verdict> };
type Examined = {
  inspection: ReturnType<AdministrationStore['everyOrganization']['administration']['inspect']>;
  backlog: () => Promise<BacklogSize>;
};

const checkOf = <Part extends keyof Inspection>(
  check: string,
  parts: readonly Part[],
  verdictOf: (inspection: Of<Part>) => Verdict,
): DatabaseCheck => ({
  check,
  async examine({ inspection }) {
    const found = await Promise.all(parts.map(async (part) => [part, await inspection[part]()] as const));
    return verdictOf(Object.fromEntries(found) as unknown as Of<Part>);
  },
});

const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  checkOf('MongoDB', ['version'], versionVerdict),
  checkOf('privileges', ['privileges'], privilegesVerdict),
  checkOf('topology', ['topology'], topologyVerdict),
  checkOf('clocks', ['skewMs', 'processes'], clockVerdict),
  checkOf('form of the database', ['form'], formVerdict),
  checkOf('running processes', ['processes'], processesVerdict),
  checkOf('addresses of callers', ['processes'], callersVerdict),
  checkOf('indexes', ['missingIndexes'], indexVerdict),
  checkOf('outbound', ['processes', 'stops'], stopsVerdict),
  { check: 'backlog', examine: async ({ backlog }) => backlogVerdict(await backlog()) },
  { check: 'waiting mails', examine: async ({ backlog }) => mailsVerdict(await backlog()) },
  checkOf('vault', ['vault'], vaultVerdict),
  checkOf('restore', ['restore'], restoreVerdict),
  checkOf('encryption keys', ['encryption', 'secrets'], encryptionVerdict),
  checkOf('data keys', ['unusableKeys'], dataKeysVerdict),
  checkOf('encryption of patients', ['sealed'], sealedVerdict),
  checkOf('use of encryption keys', ['secrets'], keyUseVerdict),
];
const OAUTH_CHECK = checkOf('OAuth keys', ['oauth'], oauthVerdict);

/** How long the checks may take together, in milliseconds, so that the command ends within 5 s. */
const CHECKS_MS = 3500;
/** How long the search for a primary may take. It is shorter, so that the reason of its failure is reported. */
const PRIMARY_MS = 2500;
/** How long closing the connections may take. */
const CLOSE_MS = 300;

/** Collects verdicts. A check that has no result in time gets one that says so. */
type Examination = {
  report(verdict: Verdict): void;
  add(check: string, examining: Promise<Verdict | Verdict[]>): Promise<void>;
  verdicts: Verdict[];
};

const startExamination = (onVerdict: (verdict: Verdict) => void): Examination => {
  const endsAt = performance.now() + CHECKS_MS;
  const verdicts: Verdict[] = [];
  const report = (verdict: Verdict): void => {
    verdicts.push(verdict);
    onVerdict(verdict);
  };
  return {
    verdicts,
    report,
    async add(check, examining) {
      const failed = (error: unknown): Verdict => ({
        check,
        ok: false,
        finding: 'cannot be examined',
        hint: sentenceOf(error),
      });
      const found = await within(examining.catch(failed), endsAt - performance.now());
      const late = {
        check,
        ok: false,
        finding: `no result within ${CHECKS_MS / 1000} s`,
        hint: 'The server hangs, is overloaded or has very much data. Run the command again, and look at the load of the server.',
      };
      for (const verdict of [found ?? late].flat()) report(verdict);
    },
  };
};

/** Adds one verdict for each part, or only one if the database cannot be reached. */
const examineDatabase = async (config: Config, { add }: Examination): Promise<void> => {
  const store = openAdministrationStore({ ...storeOptions(config), patience: { waitMs: PRIMARY_MS } });
  try {
    let isConnected = false;
    const connecting = store.connect().then(() => {
      isConnected = true;
      return [];
    });
    await add('MongoDB', connecting);
    if (!isConnected) return;
    const { administration, backlog } = store.everyOrganization;
    let measured: Promise<BacklogSize> | undefined;
    const examined = {
      inspection: administration.inspect(config.OAUTH_KEYS),
      backlog: () => {
        measured ??= backlog.measure();
        return measured;
      },
    };
    const checks = config.OAUTH_KEYS === undefined ? DATABASE_CHECKS : [...DATABASE_CHECKS, OAUTH_CHECK];
    await Promise.all(checks.map(({ check, examine }) => add(check, examine(examined))));
  } finally {
    await within(store.close(), CLOSE_MS);
  }
};

const examineQueue = async (config: Config, { add }: Examination): Promise<void> => {
  const { REDIS_URL: url, REDIS_CA_FILE: certificates, REDIS_PREFIX: prefix } = config;
  if (url === undefined) return;
  // Loading this module takes a quarter of a second, and only this command needs it.
  const { examineRedis } = await import('./redis.ts');
  await add('Redis', examineRedis({ url, certificates }, prefix));
};

/** Sends one mail. Only this command shows what the mail server replied, to the person who has entered the address. */
const examineMail = async (config: Config, to: string | undefined): Promise<Verdict[]> => {
  if (to === undefined) return [];
  const check = 'mail';
  if (!isMailbox(to))
    return [
      { check, ok: false, finding: 'no mail was sent', hint: `${JSON.stringify(to)} is no e-mail address.` },
    ];
  const { mailSenderOf, openMailer, writeMail } = await import('@chairside/mail');
  const sender = mailSenderOf(config);
  if (sender === undefined) {
    const hint = 'Set MAIL_URL and MAIL_FROM to the values of the dispatchers: docs/operation/mail.md';
    return [{ check, ok: false, finding: 'no mail was sent: MAIL_URL is not set', hint }];
  }
  const createdTime = clock.now();
  const written = writeMail({ kind: 'test', values: { organizationName: '' } });
  const report = await openMailer(sender).send({ _id: newId(createdTime), to, createdTime, written });
  const { outcome, step, answer } = report;
  if (outcome === 'sent') return [{ check, ok: true, finding: `the mail server took a mail: ${answer}` }];
  const finding = `the mail server took no mail (at the step ${step}): ${answer}`;
  const hint =
    outcome === 'refused'
      ? 'The dispatchers would not try this mail again. Check MAIL_FROM and the address: docs/operation/mail.md'
      : 'The dispatchers would try again. Check MAIL_URL, MAIL_CA_FILE and the mail server: docs/operation/mail.md';
  return [{ check, ok: false, finding, hint }];
};

const examine = async (
  mail: string | undefined,
  onVerdict: (verdict: Verdict) => void,
): Promise<Verdict[]> => {
  const examination = startExamination(onVerdict);
  const { version, commit, builtTime } = BUILD;
  const finding = `version ${version}, commit ${commit}, built ${builtTime}`;
  await examination.add('chairside-admin', Promise.resolve({ check: 'chairside-admin', ok: true, finding }));
  let config: Config;
  try {
    config = readConfig();
  } catch (error) {
    const problem = { check: 'configuration', ok: false, finding: 'cannot be used', hint: sentenceOf(error) };
    await examination.add('configuration', Promise.resolve(problem));
    return examination.verdicts;
  }
  const complete = { check: 'configuration', ok: true, finding: 'complete' };
  await examination.add('configuration', Promise.resolve(complete));
  await Promise.all([examineDatabase(config, examination), examineQueue(config, examination)]);
  // Each step of a mail server may take longer than all other checks.
  for (const verdict of await examineMail(config, mail)) examination.report(verdict);
  return examination.verdicts;
};

const lineOf = ({ check, ok, finding, hint }: Verdict): string =>
  `${ok ? '✓' : '✗'} ${check}: ${finding}${hint === undefined ? '' : `\n    ${hint}`}`;

export const addDoctorCommand = (program: Command): void => {
  const doctor = program
    .command('doctor')
    .description(
      'check configuration, MongoDB (privileges, topology, clock, form, processes, addresses of callers, indexes, backlog), vault, encryption, data keys, Redis and, if wanted, mail; prints each result at once, ends within 5 s, and changes nothing (it writes a key into Redis and deletes it)',
    )
    .option('--mail <address>', 'send a test mail to this address, and print what the mail server replies')
    .option('--json', 'print JSON, for machines');
  doctor.action(async ({ json = false, mail }: CommonOptions & { mail?: string }) => {
    const verdicts = await examine(mail, (verdict) => {
      if (!json) say(lineOf(verdict));
    });
    const healthy = verdicts.every(({ ok }) => ok);
    print({ result: { healthy, verdicts }, lines: [], failed: !healthy }, json);
  });
};
