import type { Command } from 'commander';
import { answers } from './command.ts';

export const addIndexCommands = (program: Command): void => {
  const indexes = program.command('indexes').description('what keeps queries fast');
  const apply = indexes
    .command('apply')
    .description('create the indexes that are missing; harmless to repeat');
  answers(apply, async ({ administration }) => {
    const { created } = await administration.applyIndexes();
    const summary = created.length === 0 ? 'All indexes are there.' : `Created ${created.length} indexes:`;
    return { result: { created }, lines: [summary, ...created.map((name) => `  ${name}`)] };
  });
  const drop = indexes
    .command('drop-retired')
    .description('drop the indexes of earlier versions, when no process of an earlier version runs any more');
  answers(drop, async ({ administration }) => {
    const { dropped } = await administration.dropRetiredIndexes();
    const summary =
      dropped.length === 0 ? 'No index of an earlier version is left.' : `Dropped ${dropped.length} indexes:`;
    return { result: { dropped }, lines: [summary, ...dropped.map((name) => `  ${name}`)] };
  });
};
