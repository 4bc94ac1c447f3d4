import type { EncryptionReport } from '@chairside/mongodb';
import { withProgress } from '@chairside/terminal';
import type { Command } from 'commander';
import { badLines } from './bad-lines.ts';
import { note, runs } from './command.ts';

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

const APPLY_NOTES = `
A database of an earlier version stores the names and contacts of patients, notes, reminders, events and what receivers have
responded as text. This command encrypts them while the services run. It sends no event, and changes no lastEditTime and no ETag.

  1. Upgrade every process. A process of an earlier version cannot read what is encrypted, and stops.
  2. Back up the database. After this command, a downgrade is possible only by restoring the backup.
  3. Run this command. It may be interrupted and repeated; it ends by refusing text from then on.
  4. Delete the backups that contain text, and let the database reclaim its space.

A new database is encrypted from the start. docs/operation/encryption.md says what is encrypted, and what is not.`;

const RESEAL_NOTES = `
Creates another data key for the organization, and encrypts its data again with it, while the services run. The command may be
interrupted; a repetition creates one more key. The old data keys are kept, because a backup or a process that stood still may
need them.`;

const MOVE_NOTES = `
Set VAULT_URL to the new database, stop all services, run this command, and start them with VAULT_URL. The command may be
interrupted and repeated. Backups of the first database from before still contain the keys.`;

const partsOf = (counts: Record<string, number>): string[] =>
  Object.entries(counts).map(([name, count]) => `  ${count} × ${name}`);

const STAGES: Readonly<Record<EncryptionReport['stage'], string>> = {
  plain: 'Not begun.',
  prepared: 'All processes look for encrypted data from now on.',
  converting: 'All processes encrypt what they write from now on.',
  encrypted: 'Text is refused from now on.',
};

/** Shows the progress of work on the parts of the database, one after the other. */
const withParts = <T>(
  work: (onProgress: (part: { name: string; done: number }) => void) => Promise<T>,
): Promise<T> =>
  withProgress({ unit: 'documents' }, (progress) => {
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

const addApply = (encryption: Command): void => {
  const apply = encryption
    .command('apply')
    .description(
      'encrypt what identifies patients in a database of an earlier version, while the services run',
    )
    .addHelpText('after', APPLY_NOTES);
  runs(apply, async ({ administration }) => {
    const onStage = (stage: EncryptionReport['stage']) => note(STAGES[stage]);
    const report = await withParts((onProgress) => administration.applyEncryption({ onStage, onProgress }));
    const { stage, converted, left, droppedIndexes } = report;
    const isDone = stage === 'encrypted' && left.length === 0;
    return {
      result: report,
      lines: [
        'Encrypted:',
        ...(Object.keys(converted).length > 0 ? partsOf(converted) : ['  nothing, no text was left']),
        ...droppedIndexes.map((name) => `  dropped: index ${name}`),
        ...badLines(left, 'cannot be encrypted'),
        isDone
          ? 'The database is encrypted. Delete the backups that contain text.'
          : 'What is named above is not valid data. Correct or delete it, then run this command again.',
      ],
      failed: !isDone,
    };
  });
};

const addCheck = (encryption: Command): void => {
  const check = encryption
    .command('check')
    .description('decrypt everything that is stored encrypted, and find what does not open; changes nothing');
  runs(check, async ({ administration }) => {
    const { opened, refused, left } = await withParts(administration.checkSealed);
    const text = partsOf(left);
    return {
      result: { opened, refused, left },
      lines: [
        `${opened} values were decrypted, ${refused.length} documents have one that does not open.`,
        ...badLines(refused, 'does not open'),
        ...(text.length > 0 ? ['Stored as text:', ...text, 'Run: chairside-admin encryption apply'] : []),
        ...(refused.length > 0
          ? ['Restore these documents from a backup: docs/operation/repair.md, "A value that does not open".']
          : []),
      ],
      failed: refused.length > 0 || text.length > 0,
    };
  });
};

const addRotateDataKey = (encryption: Command): void => {
  const rotate = encryption
    .command('rotate-data-key')
    .description('replace the data key of an organization, and encrypt its data again')
    .requiredOption('--organization <id>', 'id of the organization')
    .addHelpText('after', RESEAL_NOTES);
  runs(rotate, async ({ administration, begin }, { organization }: { organization: string }) => {
    await begin(organization);
    const report = await withParts((onProgress) => administration.rotateDataKey(organization, onProgress));
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
  addApply(encryption);
  addCheck(encryption);
  addRotate(encryption);
  addRotateDataKey(encryption);
  addMoveKeys(encryption);
};
