import type { RunAction } from '@chairside/mongodb';
import { withProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { badLines } from './bad-lines.ts';
import { audited, runs, withAuthor } from './command.ts';

const LEFT =
  'Add the keys of these secrets to ENCRYPTION_KEYS, after the first key, then run this command again. Keep the old keys until then.';
const DONE =
  'No secret is left under another key. Keep the old keys for now: a service that was not restarted with the new first key still writes under an old key. After all services were restarted, run: chairside-admin doctor. It reports which keys can be dropped.';

const ROTATE_NOTES = `
Change the encryption key in this order:
  1. Put the new key first in ENCRYPTION_KEYS (new:…,old:…) of all services, and restart every process of them.
     If the processes restart one after the other, first add the new key after the old key to all of them.
  2. Run this command with the same value.
  3. Run: chairside-admin doctor. When it reports that the old key can be dropped, drop it and restart the services.

The data of patients is encrypted with data keys, which ENCRYPTION_KEYS encrypts. So this command rewrites the data keys, and no
patient. To replace a data key: encryption rotate-data-key.`;

const RESEAL_NOTES = `
Creates another data key for the organization, and encrypts its data again with it, while the services run. The command may be
interrupted; a repetition creates one more key. The old data keys are kept, because a backup or a process that stood still may
need them.`;

const MOVE_NOTES = `
Set VAULT_URL to the new database, stop all services, run this command, and start them with VAULT_URL. The command may be
interrupted and repeated. Backups of the first database from before still contain the keys.`;

/**
 * Shows the progress of work on the parts of the database, one after the other.
 *
 * @param total the number of documents of all parts
 */
const withParts = <T>(
  total: number,
  work: (onProgress: (part: { name: string; done: number }) => void) => Promise<T>,
): Promise<T> =>
  withProgress({ total, unit: 'documents' }, (progress) => {
    let current: string | undefined;
    let before = 0;
    let last = 0;
    return work(({ name, done }) => {
      if (name !== current) before += last;
      current = name;
      last = done;
      progress.advance(before + done);
    });
  });

const addRotate = (encryption: Command): void => {
  const rotate = encryption
    .command('rotate')
    .description(
      'encrypt all secrets and data keys with the first key of ENCRYPTION_KEYS; restart the services with that key first',
    )
    .addHelpText('after', ROTATE_NOTES);
  runs(rotate, async ({ administration }) => {
    const report = await withProgress({ unit: 'secrets' }, (progress) =>
      administration.rotateEncryption((done) => progress.advance(done)),
    );
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

const addCheck = (encryption: Command): void => {
  const check = encryption
    .command('check')
    .description('decrypt everything that is stored encrypted, and find what does not open; changes nothing');
  runs(check, async ({ administration }) => {
    const total = await administration.countSealed();
    const { opened, refused } = await withParts(total, administration.checkSealed);
    return {
      result: { opened, refused },
      lines: [
        `${opened} values were decrypted, ${refused.length} documents have one that does not open.`,
        ...badLines(refused, 'does not open'),
        ...(refused.length > 0
          ? ['Restore these documents from a backup: docs/operation/repair.md, "A value that does not open".']
          : []),
      ],
      failed: refused.length > 0,
    };
  });
};

const addRotateDataKey = (encryption: Command): void => {
  const rotate = withAuthor(encryption.command('rotate-data-key'))
    .description('replace the data key of an organization, and encrypt its data again')
    .requiredOption('--organization <id>', 'id of the organization')
    .addHelpText('after', RESEAL_NOTES);
  runs(rotate, async (context, { organization }: { organization: string }) => {
    const run = await context.begin(organization);
    const action: RunAction = { action: 'rotated', kind: 'organization', ids: [organization] };
    const { administration } = context;
    const total = await administration.countSealed(organization);
    const report = await audited(context, run, action, () =>
      withParts(total, (onProgress) => administration.rotateDataKey(organization, onProgress)),
    );
    const { resealed, current, refused } = report;
    return {
      result: report,
      lines: [
        `${resealed} values are encrypted with the new data key, ${current} were already, ${refused.length} do not open.`,
        ...badLines(refused, 'does not open'),
      ],
      failed: refused.length > 0,
    };
  });
};

const addMoveKeys = (encryption: Command): void => {
  const move = encryption
    .command('move-keys')
    .description(
      'move the data keys from the database into the vault that VAULT_URL names; stop the services first',
    )
    .addHelpText('after', MOVE_NOTES);
  runs(
    move,
    async ({ administration }) => {
      const moved = await administration.moveKeys();
      return {
        result: { moved },
        lines: [`${moved} keys are in the vault. Start the services with VAULT_URL.`],
      };
    },
    { isChecked: false },
  );
};

export const addEncryptionCommands = (program: Command): void => {
  const encryption = program
    .command('encryption')
    .description('encryption of what identifies patients, and of stored secrets');
  addCheck(encryption);
  addRotate(encryption);
  addRotateDataKey(encryption);
  addMoveKeys(encryption);
};
