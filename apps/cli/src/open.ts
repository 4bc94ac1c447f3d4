import { Argument, type Command } from 'commander';
import { profileName } from './access/credentials.ts';
import { readProfiles } from './access/profiles.ts';
import { UsageError } from './failure.ts';
import { say } from './output/stdout.ts';
import type { GlobalOptions } from './records/commands.ts';

/** Adds `open`, which shows a page of the service in the browser. */
export const addOpenCommand = (program: Command): void => {
  const command = program
    .command('open')
    .description('Open the documentation of the API in the browser')
    .addArgument(new Argument('<page>', 'the page').choices(['docs']))
    .action(async () => {
      const { current, profiles } = await readProfiles();
      const given = command.optsWithGlobals<GlobalOptions>().profile;
      const url =
        (given === undefined && process.env.CHAIRSIDE_URL) || profiles[profileName(given, current)]?.url;
      if (!url || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
        throw new UsageError('Run `chairside login`, or set CHAIRSIDE_URL to an address with https://.');
      const page = `${url.replace(/\/+$/, '')}/docs`;
      say(page);
      const { default: open } = await import('open');
      await open(page);
    });
};
