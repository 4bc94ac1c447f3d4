import { describe, expect, it } from 'vitest';
import { BODY, entries, NOW, refusal, SECRET } from '../test/entries.ts';
import { sign, subscriptionId, verify } from './index.ts';
import { verify as verifyWeb } from './web.ts';

const OTHER = `${SECRET}2`;
const secrets = new Map<string, string | string[]>([
  ['one', SECRET],
  ['two', OTHER],
  ['both', [OTHER, SECRET]],
]);
const secret = (id: string) => secrets.get(id);
const header = sign({ body: BODY, secret: SECRET, timestamp: NOW });
const request = { body: BODY, header, now: NOW, secret };

describe.each(entries)('a function that chooses the secret, $name', (entry) => {
  const codeOf = async (id: string | undefined, change: object = {}) =>
    (await refusal(() => entry.verify({ ...request, ...change, subscriptionId: id }))).code;

  it('gets the id, and its secrets verify the request', async () => {
    for (const id of ['one', 'both'])
      expect(await entry.verify({ ...request, subscriptionId: id })).toEqual({ timestamp: NOW });
    expect(await entry.unwrap({ ...request, subscriptionId: 'one' })).toEqual(JSON.parse(BODY));
  });

  it('refuses the secret of another subscription, an unknown id and none', async () => {
    expect(await codeOf('two')).toBe('mismatch');
    for (const id of ['three', 'one,two', 'constructor', '', undefined])
      expect(await codeOf(id)).toBe('unknown_subscription');
  });

  it('is not called for a header that does not follow the scheme', async () => {
    const never = () => expect.fail('it was called');
    expect(await codeOf('one', { header: 'v1=1', secret: never })).toBe('malformed_header');
    expect(await codeOf('one', { header: undefined, secret: never })).toBe('missing_header');
  });

  it('may not return what is no secret', async () => {
    for (const wrong of ['', 'too short', 5, {}, [], () => SECRET])
      expect(await codeOf('one', { secret: () => wrong })).toBe('bad_secret');
    expect(await codeOf('one', { secret: () => null })).toBe('unknown_subscription');
  });
});

it('may return a promise only where verify is asynchronous', async () => {
  const async = { ...request, subscriptionId: 'one', secret: async (id: string) => secrets.get(id) };
  expect(await verifyWeb(async)).toEqual({ timestamp: NOW });
  expect((await refusal(() => verify(async as never))).code).toBe('bad_secret');
});

it('finds the id in each kind of source', () => {
  for (const source of [
    { 'X-Service-Subscription-Id': 'one' },
    { headers: { 'x-service-subscription-id': 'one' } },
    new Request('http://localhost', { headers: { 'X-Service-Subscription-Id': 'one' } }),
    { headers: null, multiValueHeaders: { 'x-service-subscription-id': ['one'] } },
  ])
    expect(subscriptionId(source)).toBe('one');
  expect(subscriptionId({ 'x-service-signature': 'x' })).toBeUndefined();
});
