import type { Command } from 'commander';
import { note, runs } from './command.ts';

export const addIndexCommands = (program: Command): void => {
  const indexes = program.command('indexes').description('the indexes of the database');
  const apply = indexes
    .command('apply')
    .description('create missing indexes and the views scheduleBusyV1 and operatorAccessV1; may be repeated');
  runs(apply, async ({ administration }) => {
    const { created } = await administration.applyIndexes(({ name, position, total, documents }) => {
      // Only the builds on large collections take long.
      if (documents > 0) note(`Building ${position} of ${total}: ${name}, of ${documents} documents`);
    });
    const summary = created.length === 0 ? 'Nothing is missing.' : `Created ${created.length}:`;
    return { result: { created }, lines: [summary, ...created.map((name) => `  ${name}`)] };
  });
};
