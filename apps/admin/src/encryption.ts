import type { Command } from 'commander';
import { answers } from './command.ts';
import { openProgress } from './progress.ts';

const LEFT =
  'Give ENCRYPTION_KEYS the key that they were written with, behind the first one, then run this again. Keep the old keys until then.';
const DONE =
  'Nothing is left under another key: drop the old keys from ENCRYPTION_KEYS, once all services run with the new first key.';

export const addEncryptionCommands = (program: Command): void => {
  const encryption = program.command('encryption').description('secrets at rest');
  const rotate = encryption
    .command('rotate')
    .description(
      'encrypt everything anew under the first key of ENCRYPTION_KEYS; may be stopped and repeated',
    );
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
