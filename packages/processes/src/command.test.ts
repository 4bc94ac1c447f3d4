import { expect, test } from 'vitest';
import { CommandFailure, run } from './command.ts';

const never = new AbortController().signal;
/** Runs a shell that takes 300 ms to end after SIGTERM, and says when it has ended. */
const SLOW_TO_END = 'trap "sleep 0.3; echo ended; exit 3" TERM; echo begun; while :; do sleep 0.01; done';

test('a command that cannot be run is a failure that names it', async () => {
  const failure = await run('no-such-command', [], { signal: never }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(CommandFailure);
  expect((failure as Error).message).toContain('no-such-command failed (spawn no-such-command ENOENT)');
});

test('a command that takes too long has ended when it fails', async () => {
  const failure = run('sh', ['-c', SLOW_TO_END], { signal: never, timeoutMs: 200 });
  await expect(failure).rejects.toMatchObject({
    name: 'CommandFailure',
    message: expect.stringContaining('took too long'),
    lastLines: ['begun', 'ended'],
  });
});

test('an aborted command has ended when the reason of the abort is thrown', async () => {
  const controller = new AbortController();
  const lines: string[] = [];
  const ended = run('sh', ['-c', SLOW_TO_END], {
    signal: controller.signal,
    onLine(line) {
      lines.push(line);
      if (line === 'begun') controller.abort(new Error('interrupted'));
    },
  });
  await expect(ended).rejects.toThrow('interrupted');
  expect(lines).toEqual(['begun', 'ended']);
});
