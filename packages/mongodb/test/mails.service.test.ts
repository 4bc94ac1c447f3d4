import {
  MAIL_LIFE_MS,
  MAIL_RETENTION_MS,
  MAX_MAIL_DOUBTS,
  type MailAttempt,
  type MailContent,
  newId,
} from '@chairside/domain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPractice, openTestStore, type TestStore } from '../../test-support/src/index.ts';
import type { MailDocument } from '../src/mails/mail-document.ts';
import type { ClaimedMail } from '../src/stores/dispatch-store.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

const content: MailContent = {
  to: 'somebody@example.com',
  values: { organizationName: 'Practice East' },
  link: { path: '/invitation', secret: 'the-secret-of-the-link' },
};

/** An organization with mails, and functions for one of them. */
const openMails = async () => {
  const { organizationId, store } = await createPractice(testStore.store);
  const queue = testStore.store.everyOrganization.mailQueue;
  const collection = testStore.database.collection<MailDocument>('mails');
  const create = async (linkLifeMs = 72 * 3_600_000, operatorId = newId()) => {
    const now = new Date();
    const linkEnd = new Date(now.getTime() + linkLifeMs);
    await store.mails.create({ operatorId, kind: 'invitation', content, linkEnd }, now);
    const made = await collection.findOne({ organizationId, operatorId }, { sort: { _id: -1 } });
    if (made === null) throw new Error('the mail is not stored');
    return made;
  };
  const claim = async (mail: { _id: string }): Promise<ClaimedMail> => {
    const claimed = await queue.claim({ _id: mail._id, organizationId });
    if (claimed === undefined) throw new Error('the mail cannot be claimed');
    return claimed;
  };
  const find = (mail: { _id: string }) => collection.findOne({ _id: mail._id });
  /** Changes a stored time, as if this many milliseconds had passed. */
  const pass = (mail: { _id: string }, field: 'claimedAt' | 'dueTime' | 'deadline', milliseconds: number) =>
    collection.updateOne({ _id: mail._id }, [
      { $set: { [field]: { $subtract: [`$${field}`, milliseconds] } } },
    ]);
  const finish = (mail: ClaimedMail, outcome: MailAttempt['outcome']) =>
    queue.finish(mail, { outcome }, new Date());
  return { organizationId, store, queue, collection, create, claim, find, pass, finish };
};

test('recipient, values and link are sealed while the mail waits', async () => {
  const { create, claim } = await openMails();
  const mail = await create();
  const raw = JSON.stringify(mail) + Buffer.from(mail.sealed?.buffer ?? []).toString('latin1');
  for (const text of ['somebody', 'Practice East', 'the-secret']) expect(raw).not.toContain(text);
  expect(await claim(mail)).toMatchObject({ content, kind: 'invitation', attempts: 1, doubts: 0 });
});

test.each([
  ['sent', 'sent', undefined],
  ['refused', 'failed', 'refused'],
] as const)(
  'after %s, only kind, operator, times and result remain, for 30 days',
  async (outcome, result, cause) => {
    const { create, claim, find, finish } = await openMails();
    const mail = await create();
    expect(await finish(await claim(mail), outcome)).toBe(result);
    const stored = await find(mail);
    const { finalTime = new Date(0), expireAt = new Date(0) } = stored ?? {};
    expect(expireAt.getTime() - finalTime.getTime()).toBe(MAIL_RETENTION_MS);
    expect(stored).toEqual({
      _id: mail._id,
      organizationId: mail.organizationId,
      kind: 'invitation',
      operatorId: mail.operatorId,
      state: result,
      createdTime: mail.createdTime,
      attempts: 1,
      doubts: 0,
      token: expect.any(String),
      finalTime,
      expireAt,
      ...(cause && { cause }),
    });
  },
);

test('of many callers, one claims a mail', async () => {
  const { create, queue } = await openMails();
  const mail = await create();
  const claims = await Promise.all(Array.from({ length: 10 }, () => queue.claim(mail)));
  expect(claims.filter((claim) => claim !== undefined)).toHaveLength(1);
});

test('a temporary failure makes the mail due later, within its deadline', async () => {
  const { create, claim, find, finish, queue, pass } = await openMails();
  const mail = await create();
  expect(await finish(await claim(mail), 'temporary')).toBeUndefined();
  const again = await find(mail);
  expect(again).toMatchObject({ state: 'queued', attempts: 1, sealed: expect.anything() });
  expect(again?.dueTime?.getTime()).toBeGreaterThan(Date.now());
  expect((await queue.due()).map(({ _id }) => _id)).not.toContain(mail._id);
  await pass(mail, 'dueTime', 60_000);
  expect((await queue.due()).map(({ _id }) => _id)).toContain(mail._id);
});

test('the deadline is the end of the link, or two days', async () => {
  const { create } = await openMails();
  const life = ({ createdTime, deadline = createdTime }: MailDocument) =>
    deadline.getTime() - createdTime.getTime();
  expect(life(await create(30 * 60_000))).toBe(30 * 60_000);
  expect(life(await create(72 * 3_600_000))).toBe(MAIL_LIFE_MS);
});

test('a mail whose time is over fails, or is unknown after a doubt', async () => {
  const { create, claim, find, finish, queue, pass } = await openMails();
  const [unsent, doubtful] = [await create(), await create()];
  await finish(await claim(doubtful), 'doubtful');
  for (const mail of [unsent, doubtful]) await pass(mail, 'deadline', MAIL_LIFE_MS + 1);
  const ended = await queue.expire();
  expect(ended).toEqual({ failed: 1, unknown: 1 });
  expect(await find(unsent)).toMatchObject({ state: 'failed', cause: 'expired' });
  expect(await find(doubtful)).toMatchObject({ state: 'unknown' });
  for (const mail of [unsent, doubtful]) expect(await find(mail)).not.toHaveProperty('sealed');
});

test('a mail that was handed over by a process that died is repeated once, and unknown when the second one dies, too', async () => {
  const { create, claim, find, queue, pass } = await openMails();
  const mail = await create();
  for (let deaths = 1; deaths < MAX_MAIL_DOUBTS; deaths++) {
    await queue.beginHandOver(await claim(mail));
    expect(await queue.recover(60_000)).toEqual({ unknown: 0 });
    expect(await find(mail)).toMatchObject({ state: 'sending' });
    await pass(mail, 'claimedAt', 61_000);
    await queue.recover(60_000);
    expect(await find(mail)).toMatchObject({ state: 'queued', doubts: deaths });
  }
  await queue.beginHandOver(await claim(mail));
  await pass(mail, 'claimedAt', 61_000);
  expect(await queue.recover(60_000)).toEqual({ unknown: 1 });
  expect(await find(mail)).toMatchObject({ state: 'unknown' });
  expect(await find(mail)).not.toHaveProperty('sealed');
});

test('a process takes back what others have claimed before, and leaves what it has in hand or may get a reply', async () => {
  const { create, claim, find, queue, pass } = await openMails();
  const mails = [await create(), await create(), await create(), await create()] as const;
  const [theirs, handed, own, later] = mails;
  const [ofTheirs, ofHanded] = [await claim(theirs), await claim(handed)];
  expect(await queue.beginHandOver(ofHanded)).toBe(true);
  const { _id } = await claim(own);
  const before = new Date(((await find(own))?.claimedAt?.getTime() ?? 0) + 1);
  await claim(later);
  await pass(later, 'claimedAt', -60_000);
  const others = { before, own: new Set([_id]), areRepliesOver: false };
  await queue.recover(90_000, others);
  expect(await find(theirs)).toMatchObject({ state: 'queued', doubts: 0 });
  // Their process has not died: it learns that it must not hand the mail over.
  expect(await queue.beginHandOver(ofTheirs)).toBe(false);
  for (const mail of [handed, own, later]) expect(await find(mail)).toMatchObject({ state: 'sending' });
  await queue.recover(90_000, { ...others, areRepliesOver: true });
  expect(await find(handed)).toMatchObject({ state: 'queued', doubts: 1 });
  expect(await find(handed)).not.toHaveProperty('isHandedOver');
  for (const mail of [own, later]) expect(await find(mail)).toMatchObject({ state: 'sending' });
  // What is in hand for too long is taken back all the same.
  await pass(own, 'claimedAt', 91_000);
  await queue.recover(90_000, others);
  expect(await find(own)).toMatchObject({ state: 'queued', doubts: 0 });
});

test('a process that was counted as dead may still report that the mail was sent, unless it was claimed again', async () => {
  const { create, claim, find, finish, queue, pass } = await openMails();
  const [late, twice] = [await create(), await create()];
  const [ofLate, ofTwice] = [await claim(late), await claim(twice)];
  for (const mail of [late, twice]) await pass(mail, 'claimedAt', 61_000);
  await queue.recover(60_000);
  expect(await finish(ofLate, 'sent')).toBe('sent');
  expect(await find(late)).toMatchObject({ state: 'sent' });

  const second = await claim(twice);
  expect(await finish(ofTwice, 'sent')).toBeUndefined();
  expect(await find(twice)).toMatchObject({ state: 'sending', token: second.token });
  expect(await finish(ofTwice, 'temporary')).toBeUndefined();
  expect(await find(twice)).toMatchObject({ state: 'sending', token: second.token });
});

test('a withdrawn mail fails and is sent no more; others stay', async () => {
  const { create, store, find, queue } = await openMails();
  const [gone, kept] = [await create(), await create()];
  await store.mails.withdraw(gone.operatorId, ['invitation'], new Date());
  await store.mails.withdraw(kept.operatorId, ['password_reset'], new Date());
  expect(await find(gone)).toMatchObject({ state: 'failed', cause: 'withdrawn' });
  expect(await find(gone)).not.toHaveProperty('sealed');
  expect(await queue.claim(gone)).toBeUndefined();
  expect(await find(kept)).toMatchObject({ state: 'queued' });
  expect(await store.mails.states([gone._id, kept._id])).toEqual(
    new Map([
      [gone._id, 'failed'],
      [kept._id, 'queued'],
    ]),
  );
});

test('a mail that does not open fails, and its content is deleted', async () => {
  const { create, find, queue, collection } = await openMails();
  const [mail, other] = [await create(), await create()];
  await collection.updateOne({ _id: mail._id }, [{ $set: { sealed: { $literal: other.sealed } } }]);
  expect(await queue.claim(mail)).toBeUndefined();
  expect(await find(mail)).toMatchObject({ state: 'failed', cause: 'unreadable' });
  expect(await find(mail)).not.toHaveProperty('sealed');
});

test('due mails contain those of every organization, however many one of them has', async () => {
  const many = await openMails();
  const few = await openMails();
  const pattern = await many.create();
  await many.collection.insertMany(
    Array.from({ length: 250 }, () => ({ ...pattern, _id: newId(), dueTime: new Date(1) })),
  );
  const mail = await few.create();
  const due = await few.queue.due();
  expect(due.map(({ _id }) => _id)).toContain(mail._id);
  expect(due.length).toBeLessThan(250);
});

test('the service counts as sending mails while the lease is held, and for some minutes more', async () => {
  const { lanes, sendsMail } = testStore.store.everyOrganization;
  expect(await sendsMail()).toBe(false);
  await lanes.lease('mail', 'worker', 5000);
  expect(await sendsMail()).toBe(true);
  const leases = testStore.database.collection<{ _id: string; until: Date }>('leases');
  const end = (minutes: number) =>
    leases.updateOne({ _id: 'mail' }, { $set: { until: new Date(Date.now() - minutes * 60_000) } });
  await end(9);
  expect(await sendsMail()).toBe(true);
  await end(11);
  expect(await sendsMail()).toBe(false);
});
