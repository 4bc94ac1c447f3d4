import type { Subscription } from '@chairside/domain';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPractice, openTestStore, type TestStore } from '../../test-support/src/index.ts';
import type { CreatedSubscription, RefusedReplacement } from '../src/subscriptions/subscriptions.ts';

let testStore: TestStore;
beforeAll(async () => {
  testStore = await openTestStore();
});
afterAll(() => testStore.close());

/** A practice of its own, whose clinic has no other subscription. */
const open = async () => {
  const practice = await createPractice(testStore.store);
  const { subscriptions } = practice.store;
  const [clinicId] = practice.clinicIds;
  const create = async (): Promise<CreatedSubscription | undefined> =>
    subscriptions.create({ clinicId, url: 'https://example.com/a', events: [], active: true }, new Date());
  const replace = async (id: string): Promise<CreatedSubscription> =>
    created(await subscriptions.replace(id, {}, new Date()));
  const enable = (id: string) => subscriptions.update(id, { active: true }, new Date());
  /** The subscriptions that would get an event of the clinic now. */
  const current = async (): Promise<string[]> => {
    const { organizationId } = practice;
    const found = await testStore.store.everyOrganization.receivers.inClinics([{ organizationId, clinicId }]);
    return found.map(({ receiver }) => receiver._id);
  };
  return { practice, subscriptions, create, replace, enable, current };
};
type Opened = Awaited<ReturnType<typeof open>>;

const created = (made: CreatedSubscription | RefusedReplacement | undefined): CreatedSubscription => {
  if (made === undefined || 'refused' in made) throw new Error(`not created: ${JSON.stringify(made)}`);
  return made;
};
const openChain = async (): Promise<Opened & { first: CreatedSubscription; second: CreatedSubscription }> => {
  const opened = await open();
  const first = created(await opened.create());
  return { ...opened, first, second: await opened.replace(first._id) };
};
const stateOf = async ({ subscriptions }: Opened, { _id }: Pick<Subscription, '_id'>) => {
  const found = await subscriptions.find(_id);
  return found && { active: found.active, state: found.state };
};

test('a replacement has a secret of its own, and gets no event until it is enabled', async () => {
  const { first, second, current, enable, ...opened } = await openChain();
  expect(second).toMatchObject({ active: false, replaces: first._id, url: first.url, state: 'new' });
  expect(second.secret).not.toBe(first.secret);
  expect(await current()).toEqual([first._id]);
  await enable(second._id);
  expect(await current()).toEqual([second._id]);
  expect(await opened.subscriptions.find(first._id)).toMatchObject({
    active: false,
    state: 'replaced',
    replacedBy: second._id,
    disabledTime: expect.any(String),
    disabledReason: `Replaced by subscription ${second._id}.`,
  });
  expect(await opened.subscriptions.list()).toEqual([
    await opened.subscriptions.find(first._id),
    await opened.subscriptions.find(second._id),
  ]);
});

test('the switch changes only the document of the replacement', async () => {
  const { first, second, enable } = await openChain();
  const stored = () => testStore.database.collection('subscriptions').findOne({ _id: first._id });
  const before = await stored();
  await enable(second._id);
  expect(await stored()).toEqual(before);
  expect(before).toMatchObject({ active: true });
});

test('a chain of three has one member that gets the events, and names its successor at each', async () => {
  const { first, second, replace, enable, current, subscriptions } = await openChain();
  await enable(second._id);
  const third = await replace(second._id);
  expect(await current()).toEqual([second._id]);
  await enable(third._id);
  expect(await current()).toEqual([third._id]);
  expect((await subscriptions.find(first._id))?.replacedBy).toBe(second._id);
  expect((await subscriptions.find(second._id))?.replacedBy).toBe(third._id);
  await subscriptions.delete(second._id);
  expect((await subscriptions.find(first._id))?.replacedBy).toBe(third._id);
  expect(await current()).toEqual([third._id]);
});

test('events that happened before the replacement was created belong to the chain', async () => {
  const { practice, first, second, replace, enable } = await openChain();
  await enable(second._id);
  const third = await replace(second._id);
  await enable(third._id);
  const { organizationId, clinicIds } = practice;
  const [candidate] = await testStore.store.everyOrganization.receivers.inClinics([
    { organizationId, clinicId: clinicIds[0] },
  ]);
  expect(candidate).toMatchObject({
    chainId: first._id,
    chainCreatedTime: new Date(first.createdTime),
    receiver: { _id: third._id, secret: third.secret },
  });
});

describe('a deletion ends the relation', () => {
  test('of the replaced one: the other goes on', async () => {
    const opened = await openChain();
    const { first, second, enable, current, subscriptions } = opened;
    await enable(second._id);
    await subscriptions.delete(first._id);
    expect(await subscriptions.find(second._id)).not.toHaveProperty('replaces');
    expect(await stateOf(opened, second)).toEqual({ active: true, state: 'new' });
    expect(await current()).toEqual([second._id]);
  });

  test('of one that is to be replaced: the other is an ordinary inactive one', async () => {
    const opened = await openChain();
    const { first, second, enable, current, replace, subscriptions } = opened;
    await subscriptions.delete(first._id);
    expect(await stateOf(opened, second)).toEqual({ active: false, state: 'off' });
    const third = await replace(second._id);
    // Its events are skipped, as those of any inactive subscription are.
    expect(await current()).toEqual([second._id]);
    await enable(second._id);
    expect(await current()).toEqual([second._id]);
    await enable(third._id);
    expect(await current()).toEqual([third._id]);
  });

  test('of the replacement: the other stays inactive until somebody enables it', async () => {
    const opened = await openChain();
    const { first, second, enable, current, subscriptions } = opened;
    await enable(second._id);
    await subscriptions.delete(second._id);
    expect(await stateOf(opened, first)).toEqual({ active: false, state: 'off' });
    expect((await subscriptions.find(first._id))?.disabledReason).toContain(second._id);
    await enable(first._id);
    expect(await stateOf(opened, first)).toEqual({ active: true, state: 'new' });
    expect(await current()).toEqual([first._id]);
  });

  test('of a replacement that was never enabled: nothing changes', async () => {
    const opened = await openChain();
    const { first, second, current, subscriptions, replace } = opened;
    await subscriptions.delete(second._id);
    expect(await stateOf(opened, first)).toEqual({ active: true, state: 'new' });
    expect(await current()).toEqual([first._id]);
    expect((await replace(first._id)).replaces).toBe(first._id);
  });
});

describe('refusals', () => {
  test('a second replacement, and that of a pending one', async () => {
    const { first, second, enable, subscriptions } = await openChain();
    const again = () => subscriptions.replace(first._id, {}, new Date());
    const has = { refused: 'hasReplacement', by: second._id };
    expect(await again()).toEqual(has);
    expect(await subscriptions.replace(second._id, {}, new Date())).toEqual({ refused: 'isPending' });
    await enable(second._id);
    expect(await again()).toEqual(has);
    expect(await subscriptions.replace('nothing', {}, new Date())).toBeUndefined();
  });

  test('of twenty callers at once, one creates the replacement', async () => {
    const { create, subscriptions } = await open();
    const { _id } = created(await create());
    const made = await Promise.all(
      Array.from({ length: 20 }, () => subscriptions.replace(_id, {}, new Date())),
    );
    const [winner, ...more] = made.filter((each) => each !== undefined && '_id' in each);
    expect(more).toEqual([]);
    expect(await subscriptions.list()).toHaveLength(2);
    const by = (winner as CreatedSubscription)._id;
    expect(made.filter((each) => each !== winner)).toEqual(
      Array.from({ length: 19 }, () => ({ refused: 'hasReplacement', by })),
    );
  });

  test('twenty can all be replaced, but no ordinary one is created beside them, and no 41st', async () => {
    const { create, replace, enable, subscriptions } = await open();
    const first = await Promise.all(Array.from({ length: 20 }, create));
    const second = await Promise.all(first.map((each) => replace(created(each)._id)));
    expect(await create()).toBeUndefined();
    await Promise.all(second.map(({ _id }) => enable(_id)));
    const one = second[0]?._id ?? '';
    expect(await subscriptions.replace(one, {}, new Date())).toEqual({ refused: 'limitReached' });
    for (const each of first.slice(0, 2)) await subscriptions.delete(created(each)._id);
    expect((await replace(one)).replaces).toBe(one);
    expect(await create()).toBeUndefined();
    for (const { _id } of (await subscriptions.list()).slice(0, 20)) await subscriptions.delete(_id);
    const more = await Promise.all(Array.from({ length: 5 }, create));
    expect(more.filter((each) => each !== undefined)).toHaveLength(1);
  });
});

test('"Disabled" of a replaced one, sent back as it was read, leaves its queue alone', async () => {
  const { first, second, enable, subscriptions } = await openChain();
  await enable(second._id);
  await subscriptions.update(first._id, { active: false, url: 'https://example.com/b' }, new Date());
  const stored = await testStore.database.collection('subscriptions').findOne({ _id: first._id });
  expect(stored).toMatchObject({ active: true, url: 'https://example.com/b' });
});
