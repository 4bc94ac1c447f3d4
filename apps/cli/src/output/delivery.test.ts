import type { WebhookDelivery } from '@chairside/client';
import { expect, test } from 'vitest';
import { shownDelivery } from './delivery.ts';

const delivery = {
  _id: 'one',
  outcome: 'failed',
  cause: 'status',
  redeliveries: [],
} as unknown as WebhookDelivery;

test('shows durations with their unit, and headers without JSON', () => {
  const timings = { lookup: 0.4, connect: 9.8, firstByte: 1010.82 };
  const responseHeaders = { server: 'x', 'retry-after': '5' };
  expect(shownDelivery({ ...delivery, statusCode: 500, duration: 1021, timings, responseHeaders })).toEqual({
    ...{ _id: 'one', outcome: 'failed', cause: 'status', statusCode: 500 },
    duration: '1,021 ms',
    timings: 'lookup 0.4 ms, connect 9.8 ms, first byte 1,010.8 ms',
    responseHeaders: 'server: x; retry-after: 5',
  });
});

test('does not call the wait for a response that did not come a first byte', () => {
  const shown = shownDelivery({ ...delivery, cause: 'timeout', timings: { tls: 2, firstByte: 4998 } });
  expect(shown.timings).toBe('TLS 2 ms, no response after 4,998 ms');
});

test('cuts a long response, and says how to see more of it', () => {
  const responseBody = 'x'.repeat(400);
  expect(shownDelivery({ ...delivery, responseBody }).responseBody).toBe(
    `${'x'.repeat(300)}… (more with -o json)`,
  );
  const cut = shownDelivery({ ...delivery, responseBody: 'short', responseBodyTruncated: true });
  expect(cut.responseBody).toBe('short… (the rest was not kept)');
});

test('names the later redeliveries with their outcomes', () => {
  const redeliveries = [
    { _id: 'two', outcome: 'succeeded', createdTime: '2030-01-01T00:00:00.000Z' },
  ] as const;
  expect(shownDelivery({ ...delivery, redeliveries: [...redeliveries] }).redeliveries).toBe('two Succeeded');
});
