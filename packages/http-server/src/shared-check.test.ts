import { expect, test } from 'vitest';
import { sharedCheck } from './shared-check.ts';

test('concurrent calls share one check, even if it fails, and a later call starts a new one', async () => {
  const checks: PromiseWithResolvers<string>[] = [];
  const check = sharedCheck(() => {
    const started = Promise.withResolvers<string>();
    checks.push(started);
    return started.promise;
  });
  const both = Promise.all([check(), check()]);
  expect(checks).toHaveLength(1);
  checks[0]?.resolve('ready');
  expect(await both).toEqual(['ready', 'ready']);

  const failed = Promise.allSettled([check(), check()]);
  expect(checks).toHaveLength(2);
  checks[1]?.reject(new Error('unreachable'));
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);

  void check();
  expect(checks).toHaveLength(3);
});
