import { startDispatcher, untilDispatching } from '@chairside/test-support';
import { expect, test } from 'vitest';
import { openMailTest } from './mails.ts';

test('a mail whose dispatcher is killed while it sends is sent by another one within a minute', async () => {
  const { dispatcher, server, settings, create, find, untilState } = await openMailTest();
  const environment = { ...dispatcher.environment, ...settings };
  await server.behave({ stop: { at: 'RCPT', how: 'hang' } });
  const mail = await create();
  const killed = startDispatcher(environment);
  await untilDispatching(killed);
  await server.until(({ steps }) => steps.includes('RCPT'));
  await killed.end('SIGKILL');
  await server.behave({});
  const other = startDispatcher(environment);
  const claimedAt = ((await find(mail)) as unknown as { claimedAt: Date }).claimedAt.getTime();
  await untilState(mail, 'sent');
  // Without the succession, the claim alone would take 90 s.
  expect((server.mails[0]?.time ?? Number.POSITIVE_INFINITY) - claimedAt).toBeLessThan(60_000);
  await other.end('SIGTERM');
});
