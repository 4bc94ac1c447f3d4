import { mailPause } from '@chairside/domain';
import type { Evidence, NoticeEvidence, StoredNotice } from './evidence.ts';
import { type Down, freeTime, hindrancesOf, isDispatcher, overlaps } from './history.ts';
import { RECOVERY, SUCCESSION, TOLD } from './limits.ts';

type Copy = NoticeEvidence['taken'][number];

const isMailServer = (target: string): boolean => target === 'mail server';
const timesOf = (copies: readonly Copy[]): number[] => copies.map(({ at }) => at);

/** When the owners were told that their subscriptions were disabled. Milliseconds since 1970. */
export const tellingsOf = ({ owners, stored, taken }: NoticeEvidence) =>
  owners.flatMap(({ at, subscriptionId, operatorId, email }) => {
    if (at === undefined) return [];
    const isAbout = ({ kind, subject }: StoredNotice['told'][number]) =>
      kind === 'subscriptionDisabled' && subject === subscriptionId;
    const mails = stored.filter((mail) => mail.operatorId === operatorId && mail.told.some(isAbout));
    const copies = taken.filter(({ mailId }) => mails.some(({ _id }) => _id === mailId));
    return [{ at, subscriptionId, email, mails, copies, toldAt: Math.min(...timesOf(copies)) }];
  });

/** How long a mail may take beyond the promise: the pauses after failed attempts, and the takeovers after kills. */
const excuseOf = ({ attempts, doubts }: StoredNotice, kills: number): number => {
  const pauses = Array.from({ length: attempts - 1 }, (_, index) => mailPause(index + 1));
  return pauses.reduce((sum, pause) => sum + pause, 0) + doubts * RECOVERY + kills * SUCCESSION;
};

/** Checks that each owner of a killed receiver was told once, in time, and nobody else. */
function* judgeOwners({ notices, downs }: Evidence): Generator<string> {
  const hindrances = [
    ...hindrancesOf(downs, (target) => isDispatcher(target) || isMailServer(target)),
    ...downs.filter(({ target, how }) => isMailServer(target) && how !== 'paused'),
  ];
  for (const { at, subscriptionId, email, mails, copies, toldAt } of tellingsOf(notices)) {
    const [mail, ...more] = mails;
    // A mail that was broken off at its end twice is not sent a third time. It may have arrived.
    if (mail?.state === 'unknown' && more.length === 0 && copies.length === 0) continue;
    if (mail === undefined || more.length > 0 || copies.length === 0) {
      yield `the owner of ${subscriptionId} was told in ${mails.length} mails, of which ${copies.length} copies were taken`;
      continue;
    }
    if (copies.some(({ to }) => to.join() !== email))
      yield `the owner's mail ${mail._id} went to somebody else`;
    const isKill = ({ target, how }: Down) => isDispatcher(target) && how === 'killed';
    const kills = downs.filter((down) => isKill(down) && overlaps(down, at, toldAt)).length;
    const took = freeTime(hindrances, at, toldAt);
    if (took > TOLD + excuseOf(mail, kills)) yield `the owner of ${subscriptionId} was told after ${took} ms`;
  }
}

/** Checks what became of a mail. The mail server may take it twice only if an attempt was in doubt, which only a fault causes. */
function* judgeMail(mail: StoredNotice, copies: readonly Copy[], downs: readonly Down[]): Generator<string> {
  const { _id, state, attempts, doubts, finalTime } = mail;
  if (state !== 'sent' && !(state === 'unknown' && doubts > 0)) yield `the mail ${_id} is ${state}`;
  if (state === 'sent' && copies.length === 0) yield `the mail ${_id} was not taken, and counts as sent`;
  if (copies.length > 1 + doubts) yield `the mail server took the mail ${_id} ${copies.length} times`;
  const isTaken = copies.length > 0;
  const until = isTaken ? Math.max(...timesOf(copies)) : (finalTime?.getTime() ?? Number.POSITIVE_INFINITY);
  const faults = downs.filter((down) => overlaps(down, mail.createdTime.getTime(), until));
  if ((isTaken ? attempts - 1 : attempts) > faults.length) yield `the mail ${_id} took ${attempts} attempts`;
}

/** Checks that each fact was told to each of its recipients in one mail, in time, and that the mail was taken once. */
export function* judgeNotices(evidence: Evidence): Generator<string> {
  const { notices, downs } = evidence;
  const { stored, taken, untold } = notices;
  if (untold > 0) yield `${untold} rows have facts that were not told`;
  const told = stored.flatMap(({ operatorId, told: facts }) =>
    facts.map(({ kind, subject, occurrence }) => `${kind} of ${subject} at ${occurrence} to ${operatorId}`),
  );
  for (const [fact, tellings] of Map.groupBy(told, (each) => each))
    if (tellings.length > 1) yield `a fact was told in ${tellings.length} mails: ${fact}`;
  const copies = Map.groupBy(taken, ({ mailId }) => mailId);
  for (const mail of stored) yield* judgeMail(mail, copies.get(mail._id) ?? [], downs);
  const known = new Set(stored.map(({ _id }) => _id));
  for (const id of copies.keys())
    if (!known.has(id)) yield `the mail server took a mail that is not stored: ${id}`;
  yield* judgeOwners(evidence);
}
