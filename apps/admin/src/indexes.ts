import type { Command } from 'commander';
import { note, runs } from './command.ts';

export const addIndexCommands = (program: Command): void => {
  const indexes = program.command('indexes').description('create and drop indexes');
  const apply = indexes
    .command('apply')
    .description('create missing indexes and the view scheduleBusyV2; may be repeated');
  runs(apply, async ({ administration }) => {
    const { created } = await administration.applyIndexes(({ name, position, total, documents }) => {
      // Only the builds on large collections take long.
      if (documents > 0) note(`Building ${position} of ${total}: ${name}, of ${documents} documents`);
    });
    const summary = created.length === 0 ? 'Nothing is missing.' : `Created ${created.length}:`;
    return { result: { created }, lines: [summary, ...created.map((name) => `  ${name}`)] };
  });
  const drop = indexes
    .command('drop-retired')
    .description(
      'drop the indexes and views of earlier versions; no process of an earlier version may be running',
    );
  runs(drop, async ({ administration }) => {
    const { dropped } = await administration.dropRetiredIndexes();
    const summary =
      dropped.length === 0 ? 'Nothing of an earlier version is left.' : `Dropped ${dropped.length}:`;
    return { result: { dropped }, lines: [summary, ...dropped.map((name) => `  ${name}`)] };
  });
};
