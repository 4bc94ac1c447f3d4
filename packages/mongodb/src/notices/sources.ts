import { FAILING_NOTICE_MS, type NoticeText, type OwnNotice } from '@chairside/domain';
import type { Document } from 'mongodb';
import type { ApiKeyDocument } from '../access/api-keys.ts';
import type { OperatorDocument, UntoldFacts } from '../access/operator-document.ts';
import type { ProgramTokenDocument } from '../access/program-tokens.ts';
import type { AuditDocument } from '../audit/audit.ts';
import type { Collection, Database } from '../driver/database.ts';
import { atOnce, byId } from '../driver/statements.ts';
import type { UntoldTimes } from '../mails/notice-time.ts';
import type { SubscriptionDocument } from '../subscriptions/subscriptions.ts';
import { type FactSource, type FoundFact, factSource, type Looked } from './facts.ts';

/*
 * Where facts are stored, and what they are. A fact is stored in the write that makes it true: at a subscription, a
 * credential or an operator, or as an audit entry if it must survive the deletion of what it is about.
 */

/** How long an audited action may take. After that, its process has died, and the action may have happened. */
const ACTION_MS = 30_000;

type Mark = NonNullable<FoundFact['mark']>;

/** A field is absent, or is as it was read. */
const unchanged = (field: string, value: Date | undefined): Document => ({
  [field]: value ?? { $exists: false },
});

/** A fact about a subscription. */
const ofSubscription = (
  { _id }: Pick<SubscriptionDocument, '_id'>,
  text: NoticeText,
  occurred: Date,
  time: Date,
  mark: Mark,
): FoundFact => ({
  kind: text.kind,
  subject: _id,
  occurrence: occurred.toISOString(),
  time,
  row: { ...text, time: occurred.toISOString(), path: `/webhooks/${_id}` },
  mark,
});

/** The facts of a subscription, and when it will have failed for long enough. */
const lookAtSubscription = (
  document: SubscriptionDocument,
  clinic: string | undefined,
  now: Date,
): Pick<Looked, 'facts' | 'nextTime' | 'settled'> => {
  const { host, active, consecutiveFailures, failingSince, untoldDisabling, toldTrouble, recoveredTime } =
    document;
  const place = { host, ...(clinic !== undefined && { clinic }) };
  const facts: FoundFact[] = [];
  if (untoldDisabling !== undefined) {
    const { since, time, causes } = untoldDisabling;
    const text: NoticeText = {
      ...{ kind: 'subscriptionDisabled', ...place, isActive: active },
      ...(causes && { causes }),
    };
    facts.push(
      ofSubscription(document, text, time, since, {
        condition: { 'untoldDisabling.time': time },
        update: {
          $set: { 'toldTrouble.disabled': time },
          $unset: { untoldDisabling: '', recoveredTime: '' },
        },
      }),
    );
  }
  const isFailing = active && consecutiveFailures > 0 && toldTrouble?.failing === undefined;
  const failingAt =
    isFailing && failingSince ? new Date(failingSince.getTime() + FAILING_NOTICE_MS) : undefined;
  if (failingSince !== undefined && failingAt !== undefined && failingAt <= now) {
    const text: NoticeText = { kind: 'subscriptionFailing', ...place, failures: consecutiveFailures };
    facts.push(
      ofSubscription(document, text, failingSince, failingAt, {
        condition: { failingSince },
        update: { $set: { 'toldTrouble.failing': failingSince }, $unset: { recoveredTime: '' } },
      }),
    );
  }
  if (toldTrouble !== undefined && recoveredTime !== undefined && active && consecutiveFailures === 0)
    facts.push(
      ofSubscription(document, { kind: 'subscriptionRecovered', ...place }, recoveredTime, recoveredTime, {
        condition: { recoveredTime },
        update: { $unset: { toldTrouble: '', recoveredTime: '' } },
      }),
    );
  return {
    facts,
    nextTime: failingAt !== undefined && failingAt > now ? failingAt : undefined,
    settled: (isDone) => {
      const isLeft = facts.some((fact) => fact.kind === 'subscriptionDisabled' && !isDone(fact));
      return {
        ...unchanged('untoldDisabling.time', isLeft ? untoldDisabling?.time : undefined),
        ...unchanged('failingSince', failingSince),
        // Each mark removes it.
        ...unchanged('recoveredTime', facts.some(isDone) ? undefined : recoveredTime),
      };
    },
  };
};

const SUBSCRIPTION = {
  ...{ clinicId: 1, host: 1, active: 1, consecutiveFailures: 1 },
  ...{ failingSince: 1, untoldDisabling: 1, toldTrouble: 1, recoveredTime: 1 },
};

/** A clinic, of which only the name is read. */
type NamedClinic = { _id: string; organizationId: string; name?: string };

const subscriptionSource = (
  subscriptions: Collection<SubscriptionDocument>,
  clinics: Collection<NamedClinic>,
): FactSource =>
  factSource<SubscriptionDocument, ReadonlyMap<string, string | undefined>>(subscriptions, {
    projection: SUBSCRIPTION,
    async contextOf(organizationId, documents) {
      const ids = [...new Set(documents.map(({ clinicId }) => clinicId))];
      const found = await clinics
        .find(
          { _id: { $in: ids }, organizationId },
          { projection: { name: 1 }, ...byId, ...atOnce(ids.length) },
        )
        .toArray();
      return new Map(found.map(({ _id, name }) => [_id, name]));
    },
    look: (document, now, names) => lookAtSubscription(document, names?.get(document.clinicId), now),
  });

/** The end of a key or of a program token. One that has ended meanwhile is not told: its programs have told already. */
const lookAtCredential =
  (credential: 'apiKey' | 'programToken', page: string) =>
  (
    { _id, name, expiryTime, noticeAt = new Date(0) }: ApiKeyDocument | ProgramTokenDocument,
    now: Date,
  ): Pick<Looked, 'facts'> => {
    if (expiryTime === undefined || expiryTime <= now) return { facts: [] };
    const endTime = expiryTime.toISOString();
    return {
      facts: [
        {
          kind: 'credentialEnding',
          subject: _id,
          occurrence: endTime,
          time: noticeAt,
          row: {
            ...{ kind: 'credentialEnding', credential, name, endTime },
            ...{ time: noticeAt.toISOString(), path: `${page}#${_id}` },
          },
        },
      ],
    };
  };

/** Where the facts about an account are stored. */
const FIELDS = {
  passwordChanged: 'password',
  factorsChanged: 'factors',
  codesPaused: 'codes',
  roleChanged: 'role',
  emailChanged: 'email',
  newNetwork: 'network',
} as const satisfies Record<OwnNotice, keyof UntoldFacts>;

/** The mark of a fact that happened last at this time. */
const markUntil = (field: string, time: Date): Mark => ({
  condition: { [`untold.${field}.time`]: time },
  update: { $unset: { [`untold.${field}`]: '' } },
});
/** The mark of facts that gather in a field since this time. What was added after they were read stays, as a new fact. */
const markPart = (field: string, since: Date, rest: Document, isRest: Document): Mark => ({
  condition: { [`untold.${field}.since`]: since },
  update: [
    { $set: { [`untold.${field}.since`]: '$$NOW', ...rest } },
    { $set: { [`untold.${field}`]: { $cond: [isRest, `$untold.${field}`, '$$REMOVE'] } } },
  ],
});

/** The facts about an account, without what all of them have. */
const accountFacts = ({ role, untold = {} }: Pick<OperatorDocument, 'role' | 'untold'>) => {
  const { email, network } = untold;
  type Fact = { text: NoticeText & { kind: OwnNotice }; times: UntoldTimes; mark: Mark } & {
    occurrence?: string;
    address?: string;
    path?: string;
  };
  const facts: Fact[] = [];
  for (const kind of ['passwordChanged', 'factorsChanged', 'codesPaused'] as const) {
    const times = untold[FIELDS[kind]];
    if (times !== undefined) facts.push({ text: { kind }, times, mark: markUntil(FIELDS[kind], times.time) });
  }
  if (untold.role !== undefined)
    facts.push({
      text: { kind: 'roleChanged', role },
      times: untold.role,
      mark: markUntil('role', untold.role.time),
    });
  for (const [index, address] of email?.addresses.entries() ?? []) {
    const times = email as UntoldTimes;
    const left = { $setDifference: ['$untold.email.addresses', { $literal: email?.addresses }] };
    const isLeft = { $gt: [{ $size: '$untold.email.addresses' }, 0] };
    facts.push({
      text: { kind: 'emailChanged' },
      ...{ times, address, occurrence: `${times.since.toISOString()} ${index}` },
      mark: markPart('email', times.since, { 'untold.email.addresses': left }, isLeft),
    });
  }
  if (network !== undefined) {
    const { since, count } = network;
    const left = { $subtract: ['$untold.network.count', count] };
    facts.push({
      text: { kind: 'newNetwork', network: network.network, count },
      ...{ times: network, occurrence: `${since.toISOString()} ${count}`, path: '/tokens' },
      mark: markPart(
        'network',
        since,
        { 'untold.network.count': left },
        { $gt: ['$untold.network.count', 0] },
      ),
    });
  }
  return facts;
};

/** What has happened to an account. The operator is told. */
const lookAtOperator = (document: OperatorDocument): Pick<Looked, 'facts' | 'settled'> => {
  const { _id: operatorId, untold = {} } = document;
  const facts = accountFacts(document).map(({ text, times, mark, path = '/account', ...fact }): FoundFact => {
    const time = times.time.toISOString();
    return {
      ...{ kind: text.kind, subject: operatorId, occurrence: fact.occurrence ?? time, time: times.since },
      row: { ...text, time, path },
      to: { operatorId, ...(fact.address !== undefined && { address: fact.address }) },
      mark,
    };
  });
  return {
    facts,
    settled: (isDone) => {
      const left = new Set(facts.filter((fact) => !isDone(fact)).map(({ kind }) => kind));
      const conditions = Object.entries(FIELDS).map(([kind, field]) =>
        unchanged(`untold.${field}.time`, left.has(kind as OwnNotice) ? untold[field]?.time : undefined),
      );
      return Object.assign({}, ...conditions);
    },
  };
};

/** The value of a change that an audit entry has. */
const changed = ({ changes = [] }: AuditDocument, field: string): string => {
  const value = changes.find((change) => change.field === field)?.value;
  return typeof value === 'string' ? value : '';
};

/** An app that was connected, or a host that is new. */
const lookAtEntry = (entry: AuditDocument, now: Date): Pick<Looked, 'facts' | 'isOpen'> => {
  const { _id, kind, ids, time, result } = entry;
  if (result === 'begun' && now.getTime() - time.getTime() < ACTION_MS) return { facts: [], isOpen: true };
  // A refused action has not happened. One whose process has died may have.
  if (result !== 'ok' && result !== 'begun') return { facts: [] };
  const [rowId] = ids;
  const isApp = kind === 'connection';
  const host = changed(entry, isApp ? 'redirectHost' : 'url');
  const text: NoticeText = isApp
    ? { kind: 'appConnected', app: changed(entry, 'app'), host }
    : { kind: 'newReceiverHost', host };
  const row = rowId === undefined ? '' : isApp ? `#${rowId}` : `/${rowId}`;
  return {
    facts: [
      {
        kind: text.kind,
        subject: isApp ? changed(entry, 'clientId') : host,
        occurrence: _id,
        time,
        row: { ...text, time: time.toISOString(), path: `${isApp ? '/connections' : '/webhooks'}${row}` },
        ...(rowId !== undefined && { rowId }),
      },
    ],
  };
};

/** The collections with facts. */
export type FactCollections = {
  subscriptions: Collection<SubscriptionDocument>;
  apiKeys: Collection<ApiKeyDocument>;
  programTokens: Collection<ProgramTokenDocument>;
  operators: Collection<OperatorDocument>;
  auditEntries: Collection<AuditDocument>;
};

export const factSources = (
  database: Database,
  { subscriptions, apiKeys, programTokens, operators, auditEntries }: FactCollections,
): readonly FactSource[] => {
  const ending = { name: 1, expiryTime: 1 };
  return [
    subscriptionSource(subscriptions, database.collection<NamedClinic>('clinics')),
    factSource<ApiKeyDocument>(apiKeys, { projection: ending, look: lookAtCredential('apiKey', '/keys') }),
    factSource<ProgramTokenDocument>(programTokens, {
      projection: ending,
      look: lookAtCredential('programToken', '/tokens'),
    }),
    factSource(operators, { projection: { role: 1, untold: 1 }, look: lookAtOperator }),
    factSource(auditEntries, {
      projection: { kind: 1, ids: 1, time: 1, result: 1, changes: 1 },
      look: lookAtEntry,
      keyOf: ({ time }) => ({ time }),
    }),
  ];
};
