import type { Command } from 'commander';
import { answers } from './command.ts';
import { openProgress } from './progress.ts';

const LEFT =
  'Add the keys that they were encrypted under to ENCRYPTION_KEYS, behind the first key, then run this again. Keep the old keys until then.';
const DONE =
  'Nothing is left under another key. Keep the old keys for now: a service that was not restarted with the new first key writes under an old one. When all services were restarted, run: chairside-admin doctor. It says which keys can be dropped.';

const NOTES = `
Change the encryption key in this order:
  1. Put the new key first in ENCRYPTION_KEYS (new:…,old:…) of all services, and restart every process of them.
     If processes are restarted one after the other, add it behind the old key to all of them before.
  2. Run this command with the same value.
  3. Run: chairside-admin doctor. When it says that the old key can be dropped, drop it and restart the services.`;

export const addEncryptionCommands = (program: Command): void => {
  const encryption = program.command('encryption').description('secrets at rest');
  const rotate = encryption
    .command('rotate')
    .description(
      'encrypt everything anew under the first key of ENCRYPTION_KEYS; restart the services with it first',
    )
    .addHelpText('after', NOTES);
  answers(rotate, async ({ administration }) => {
    const progress = openProgress(process.stderr);
    const report = await administration.rotateEncryption((done) => progress.tell(`${done} secrets`));
    progress.end();
    const { rotated, current, left } = report;
    return {
      result: report,
      lines: [
        `${rotated} encrypted anew, ${current} under the first key, ${left.length} left.`,
        ...left.map(({ collection, _id }) => `  cannot be opened: ${collection} ${_id}`),
        left.length > 0 ? LEFT : DONE,
      ],
      failed: left.length > 0,
    };
  });
};
