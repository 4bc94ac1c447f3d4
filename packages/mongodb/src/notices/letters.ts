import {
  decideNotices,
  isSwitchable,
  MAX_ROWS_IN_NOTICE,
  type NoticeContent,
  type SwitchableNotice,
  type ToldFact,
} from '@chairside/domain';
import { isAdministrator, type OperatorDocument } from '../access/operator-document.ts';
import type { MailDocument, ToldInMail } from '../mails/mail-document.ts';
import type { FoundFact } from './facts.ts';

/*
 * Who is told which facts, in which mails. These functions are pure.
 */

/** An operator, as far as it decides who is told what. */
export type Person = Pick<
  OperatorDocument,
  '_id' | 'email' | 'role' | 'disabledTime' | 'invitation' | 'notices'
>;
/** A mail with notices that was made before. */
export type EarlierMail = Pick<MailDocument, '_id' | 'operatorId' | 'createdTime' | 'told' | 'isUnmarked'>;
/** A mail to make. */
export type Letter = { operatorId: string; address: string; facts: FoundFact[] };

const keyOf = ({ kind, subject, occurrence }: ToldInMail): string => `${kind} ${subject} ${occurrence}`;

/** What mails have told, each fact once, with the time of the last mail. */
const toldIn = (mails: readonly EarlierMail[]): ToldFact[] => {
  const told = new Map<string, ToldFact>();
  for (const { createdTime: time, told: facts = [] } of mails)
    for (const fact of facts) {
      const known = told.get(keyOf(fact));
      if (known === undefined || known.time < time) told.set(keyOf(fact), { ...fact, time });
    }
  return [...told.values()];
};

/** What becomes of facts: those that are told now, and when the others are looked at again. The rest still gathers. */
export type Decision = { told: ReadonlySet<FoundFact>; later: ReadonlyMap<FoundFact, Date> };

/** @param earlier the mails of the last hour, and those whose facts may not be marked */
export const decide = (
  facts: readonly FoundFact[],
  earlier: readonly EarlierMail[],
  people: readonly Person[],
  now: Date,
): Decision => {
  // A process that has died has told them to some of the recipients.
  const begun = new Set(
    earlier.filter(({ isUnmarked }) => isUnmarked).flatMap(({ told = [] }) => told.map(keyOf)),
  );
  const told = new Set(facts.filter((fact) => begun.has(keyOf(fact))));
  const later = new Map<FoundFact, Date>();
  const audiences = Map.groupBy(
    facts.filter((fact) => !told.has(fact)),
    ({ to }) => to?.operatorId,
  );
  for (const [operatorId, own] of audiences) {
    const isOfAudience = (mail: EarlierMail) => operatorId === undefined || mail.operatorId === operatorId;
    const before = toldIn(earlier.filter(isOfAudience)).filter(
      ({ kind }) => isSwitchable(kind) === (operatorId === undefined),
    );
    const count = operatorId === undefined ? people.filter(isAdministrator).length : 1;
    const decided = decideNotices(own, before, now, count);
    for (const fact of decided.now) told.add(fact);
    for (const { fact, time } of decided.later) later.set(fact, time);
  }
  return { told, later };
};

/** The people who are told a fact, and their addresses. */
export const recipientsOf = (
  { kind, to }: FoundFact,
  people: readonly Person[],
): Pick<Letter, 'operatorId' | 'address'>[] => {
  if (to !== undefined) {
    const person = people.find(({ _id }) => _id === to.operatorId);
    return person === undefined ? [] : [{ operatorId: person._id, address: to.address ?? person.email }];
  }
  return people
    .filter((person) => isAdministrator(person) && person.notices?.[kind as SwitchableNotice] !== false)
    .map(({ _id, email }) => ({ operatorId: _id, address: email }));
};

/** The mails that tell these facts, without what a recipient was told already. */
export const lettersOf = (
  facts: Iterable<FoundFact>,
  people: readonly Person[],
  earlier: readonly EarlierMail[],
): Letter[] => {
  const known = new Set(
    earlier.flatMap(({ operatorId, told = [] }) => told.map((fact) => `${operatorId} ${keyOf(fact)}`)),
  );
  const letters = new Map<string, Letter>();
  for (const fact of facts)
    for (const { operatorId, address } of recipientsOf(fact, people)) {
      if (known.has(`${operatorId} ${keyOf(fact)}`)) continue;
      const key = `${operatorId} ${address}`;
      const letter = letters.get(key) ?? { operatorId, address, facts: [] };
      letter.facts.push(fact);
      letters.set(key, letter);
    }
  return [...letters.values()];
};

/** What a mail tells: one row for each subject of a kind, the last one. */
export const contentOf = ({ address, facts }: Letter, organizationName: string): NoticeContent => {
  const rows = [...new Map(facts.map((fact) => [`${fact.kind} ${fact.subject}`, fact.row])).values()];
  const shown = rows.slice(0, MAX_ROWS_IN_NOTICE);
  return { to: address, values: { organizationName }, rows: shown, more: rows.length - shown.length };
};

/** What is stored of what a mail tells. */
export const toldOf = ({ kind, subject, occurrence, rowId }: FoundFact): ToldInMail => ({
  ...{ kind, subject, occurrence },
  ...(rowId !== undefined && { rowId }),
});
