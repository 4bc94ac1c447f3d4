import { signatureHeader, verify } from '@chairside/signing';
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { createWebhookSigner, idsOnly, newWebhookSecret } from './index.ts';

const bodyOf = (data: object) =>
  JSON.stringify({
    id: 'e',
    event: 'patient.updated',
    timestamp: 1,
    data,
    origin: { kind: 'import' },
    changed: ['name'],
  });

test('a secret has 32 letters and digits after its prefix: 24 bytes, each time others', () => {
  const secrets = Array.from({ length: 2000 }, newWebhookSecret);
  expect(new Set(secrets).size).toBe(secrets.length);
  for (const secret of secrets) {
    expect(secret).toMatch(/^whsec_[A-Za-z0-9]{32}$/);
    expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(24);
  }
});

test('a webhook has both signatures, of the same body and time', () => {
  const secret = newWebhookSecret();
  const body = bodyOf({ name: 'Zoë' });
  const timestamp = Math.floor(Date.now() / 1000);
  const message = { event: 'patient.updated', eventId: 'e', deliveryId: 'd', subscriptionId: 's' };
  const headers = createWebhookSigner(secret)({ ...message, body, timestamp });
  expect(headers).toEqual({
    'content-type': 'application/json',
    'x-service-event': 'patient.updated',
    'x-service-event-id': 'e',
    'x-service-delivery-id': 'd',
    'x-service-subscription-id': 's',
    'x-service-signature': expect.stringMatching(/^t=\d+,v1=[\da-f]{64}$/),
    'webhook-id': 'e',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': expect.stringMatching(/^v1,[\w+/]{43}=$/),
  });
  expect(verify({ body, header: signatureHeader(headers), secret })).toEqual({ timestamp });
  expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
  expect(() => new Webhook(newWebhookSecret()).verify(body, headers)).toThrow('No matching signature');
});

// From the tests of the libraries. test/standard-webhooks.release.test.ts runs those in JavaScript, Python, Go, Rust and Java. The
// tests of the library in Elixir contain no fixed signature.
test.each([
  {
    languages: 'Ruby, PHP, C#, JavaScript, Python, Go and Java',
    secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1614265330,
    body: '{"test": 2432232314}',
    signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  {
    languages: 'Rust',
    secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
    eventId: 'msg_27UH4WbU6Z5A5EzD8u03UvzRbpk',
    timestamp: 1649367553,
    body: '{"email":"test@example.com","username":"test_user"}',
    signature: 'v1,tZ1I4/hDygAJgO5TYxiSd6Sd0kDW6hPenDe+bTa3Kkw=',
  },
])('the signature is that in the tests of Standard Webhooks in $languages', (vector) => {
  const { languages: _, secret, signature, ...sent } = vector;
  const headers = createWebhookSigner(secret)({ event: 'e', deliveryId: 'd', subscriptionId: 's', ...sent });
  expect(headers['webhook-signature']).toBe(signature);
});

test('the payload ids has the ids of every kind of record and when it was changed, and is always the same text', () => {
  const ids = {
    _id: 'i',
    clinicId: 'c',
    patientId: 'p',
    appointmentId: 'a',
    invoiceId: 'n',
    externalId: 'x',
    lastEditTime: '2030-01-31T09:30:00.000Z',
  };
  const record = { name: 'Ada', ...ids, phone: '1', items: [{ _id: 'no', description: 'a filling' }] };
  expect(idsOnly(bodyOf(record))).toBe(bodyOf(ids));
  expect(idsOnly(bodyOf(ids))).toBe(bodyOf(ids));
});

test('the data of a test is the same with both payloads', () => {
  const ping = bodyOf({ subscriptionId: 's', clinicId: 'c' });
  expect(idsOnly(ping)).toBe(ping);
});
