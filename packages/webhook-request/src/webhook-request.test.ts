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

test('the signature of Standard Webhooks is that of its own example', () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const sent = { event: 'e', deliveryId: 'd', subscriptionId: 's', eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek' };
  const headers = createWebhookSigner(secret)({
    ...sent,
    body: '{"test": 2432232314}',
    timestamp: 1614265330,
  });
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
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
