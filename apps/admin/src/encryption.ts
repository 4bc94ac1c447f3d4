import { openProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { runs } from './command.ts';

const LEFT =
  'Add the keys of these secrets to ENCRYPTION_KEYS, after the first key, then run this command again. Keep the old keys until then.';
const DONE =
  'No secret is left under another key. Keep the old keys for now: a service that was not restarted with the new first key still writes under an old key. After all services were restarted, run: chairside-admin doctor. It reports which keys can be dropped.';

const NOTES = `
Change the encryption key in this order:
  1. Put the new key first in ENCRYPTION_KEYS (new:…,old:…) of all services, and restart every process of them.
     If the processes restart one after the other, first add the new key after the old key to all of them.
  2. Run this command with the same value.
  3. Run: chairside-admin doctor. When it reports that the old key can be dropped, drop it and restart the services.`;

export const addEncryptionCommands = (program: Command): void => {
  const encryption = program.command('encryption').description('encryption of stored secrets');
  const rotate = encryption
    .command('rotate')
    .description(
      'encrypt all secrets with the first key of ENCRYPTION_KEYS; restart the services with that key first',
    )
    .addHelpText('after', NOTES);
  runs(rotate, async ({ administration }) => {
    const progress = await openProgress({ unit: 'secrets' });
    const report = await administration.rotateEncryption((done) => progress.advance(done));
    progress.end();
    const { rotated, current, left } = report;
    return {
      result: report,
      lines: [
        `${rotated} re-encrypted, ${current} already under the first key, ${left.length} left.`,
        ...left.map(({ collection, _id }) => `  cannot be decrypted: ${collection} ${_id}`),
        left.length > 0 ? LEFT : DONE,
      ],
      failed: left.length > 0,
    };
  });
};
