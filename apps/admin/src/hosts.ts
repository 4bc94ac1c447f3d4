import type { Stop } from '@chairside/mongodb/administration';
import type { Command } from 'commander';
import { type Context, type Output, runs, withAuthor } from './command.ts';
import { UsageFailure } from './failure.ts';
import { lineOf, lists } from './rows.ts';
import { addStop } from './stops.ts';

const NOTES = `
A host is a name or an address, with its port if that is not the default of the scheme: hooks.example.com, 203.0.113.7:8443.
Deliveries to a blocked host wait, for the subscriptions of every organization. Waiting counts as no failure.`;

/** The host as subscriptions store it. @throws {UsageFailure} if it is none */
const hostOf = (given: string): string => {
  const url = `https://${given}`;
  if (URL.canParse(url)) {
    const { host, pathname, username, search, hash } = new URL(url);
    if (host !== '' && `${username}${search}${hash}` === '' && pathname === '/' && !given.includes('/'))
      return host;
  }
  throw new UsageFailure(
    `${JSON.stringify(given)} is not a host. Give a name or an address, with a port if it is not the default: hooks.example.com or 203.0.113.7:8443.`,
  );
};

const block = async (context: Context, host: string): Promise<Output> => {
  const added = await addStop(context, { host });
  return {
    result: { host, blocked: true },
    lines: [
      added === 'present' ? `${host} was blocked already.` : `Blocked ${host}. Deliveries to it wait.`,
      `It is in force everywhere within a second. End it with: chairside-admin host unblock ${host}`,
    ],
  };
};

const unblock = async ({ administration }: Context, host: string): Promise<Output> => {
  const wasBlocked = await administration.stops.remove({ host });
  return {
    result: { host, blocked: false },
    lines: [wasBlocked ? `Unblocked ${host}. What waits is sent.` : `${host} was not blocked.`],
  };
};

export const addHostCommands = (program: Command): void => {
  const host = program.command('host').description('block hosts of receivers, for the whole service');
  const verb = (name: string, description: string): Command =>
    withAuthor(
      host.command(name).description(description).argument('<host>', 'host of the URLs'),
    ).addHelpText('after', NOTES);
  runs(verb('block', 'let deliveries to a host wait'), (context, _options, given = '') =>
    block(context, hostOf(given)),
  );
  runs(verb('unblock', 'send deliveries to a host again'), (context, _options, given = '') =>
    unblock(context, hostOf(given)),
  );
  lists(
    host.command('list').description('list blocked hosts, the oldest block first'),
    async ({ administration }) => ({
      rows: (async function* () {
        for (const stop of await administration.stops.list()) if (stop.host !== undefined) yield stop;
      })(),
      linesOf: ({ host: blocked, time, by, reason }: Stop) => [lineOf(blocked, time, by, reason)],
    }),
  );
};
