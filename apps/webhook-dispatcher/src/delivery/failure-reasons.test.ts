import { expect, test } from 'vitest';
import { reasonOf } from './failure-reasons.ts';

const withCode = (code: string, message = 'PRIVATE'): Error => Object.assign(new Error(message), { code });
const at = { phase: 'connect', seconds: 5 } as const;

test('describes a known code in a sentence and keeps the code', () => {
  expect(reasonOf(withCode('DEPTH_ZERO_SELF_SIGNED_CERT'), 'tls', { ...at, phase: 'tls' })).toEqual({
    reason: "The receiver's certificate is self-signed.",
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  });
  expect(reasonOf(withCode('ENOTFOUND'), 'dns', { ...at, phase: 'lookup' })).toEqual({
    reason: 'The host name of the URL does not exist.',
    code: 'ENOTFOUND',
  });
});

test('describes the same code differently in each phase', () => {
  const reset = withCode('ECONNRESET');
  const sentences = (['connect', 'tls', 'reset'] as const).map((cause) => reasonOf(reset, cause, at).reason);
  expect(new Set(sentences).size).toBe(3);
  expect(sentences[1]).toContain('TLS handshake');
});

test('describes an unknown code by the cause, and keeps the code', () => {
  expect(reasonOf(withCode('ERR_SSL_OF_TOMORROW'), 'tls', at)).toEqual({
    reason: 'The TLS handshake with the receiver failed.',
    code: 'ERR_SSL_OF_TOMORROW',
  });
});

test.each([new Error('PRIVATE'), withCode('private text'), withCode('X'.repeat(200))])(
  'repeats neither the message of an error nor an invalid code: %#',
  (error) => {
    for (const cause of ['dns', 'connect', 'tls', 'reset', 'protocol', 'configuration'] as const) {
      const { reason, ...rest } = reasonOf(error, cause, at);
      expect(reason).toMatch(/^[A-Z].*\.$/);
      expect(reason.toLowerCase()).not.toContain('private');
      expect(rest).toEqual({});
    }
  },
);

test('describes the failure of the last of several addresses', () => {
  const both = new AggregateError([withCode('ENETUNREACH'), withCode('ECONNREFUSED')]);
  expect(reasonOf(Object.assign(both, { code: 'ENETUNREACH' }), 'connect', at).code).toBe('ECONNREFUSED');
});

test('names the phase in which an attempt timed out', () => {
  const timeout = (phase: 'lookup' | 'connect' | 'tls' | 'open') =>
    reasonOf(new Error(), 'timeout', { phase, seconds: 5 });
  expect(timeout('open')).toEqual({
    reason: 'The receiver did not send a status line in time. An attempt may take 5 s.',
  });
  expect(timeout('lookup').reason).toContain('lookup');
  expect(timeout('tls').reason).toContain('TLS handshake');
});

test('leaves out a code that only the HTTP client has, or replaces it by the one of Node.js', () => {
  expect(reasonOf(withCode('UND_ERR_SOCKET'), 'reset', { ...at, phase: 'open' })).toEqual({
    reason: 'The receiver closed the connection before it sent a response.',
  });
  expect(reasonOf(withCode('UND_ERR_HEADERS_OVERFLOW'), 'protocol', { ...at, phase: 'open' })).toMatchObject({
    code: 'HPE_HEADER_OVERFLOW',
  });
});
