import { Chairside } from '@chairside/client';
import type { Command } from 'commander';
import { CliError, describe, EXIT, UsageError } from '../failure.ts';
import { addOutputOptions, type OutputOptions, printRow, printRows } from '../output/rows.ts';
import { say } from '../output/stdout.ts';
import { checkedAddress, clientOf, fetchAsCli, findAccess, profileName } from './credentials.ts';
import { withFactor } from './factor.ts';
import { profilesFile, readProfiles, updateProfile, writeProfiles } from './profiles.ts';
import { askText, readPassword } from './prompt.ts';

type Global = { profile?: string };

const addLogin = (program: Command): void => {
  const command = program
    .command('login')
    .description('Sign in as an operator, and keep the access token')
    .option('--url <address>', 'the address of the API, such as https://api.example.com')
    .option('--email <email>', 'your e-mail address')
    .option(
      '--password-stdin',
      'read the password from the first line of stdin, and a code or recovery code, if you are asked for one, from the second',
    )
    .addHelpText(
      'after',
      `
A session ends 12 hours after the sign-in, or after 60 minutes without use. For scripts that run unattended, set
CHAIRSIDE_URL and CHAIRSIDE_API_KEY instead: an API key does not expire. A script that manages webhooks needs
CHAIRSIDE_URL and CHAIRSIDE_TOKEN, with a token that an administrator makes with chairside tokens create.

Examples:
  $ chairside login --url https://api.example.com --email ada@example.com
  $ chairside login --profile staging --url https://staging.example.com --email ada@example.com --password-stdin < password`,
    )
    .action(async (options: { url?: string; email?: string; passwordStdin?: boolean }) => {
      const { profile: given } = command.optsWithGlobals<Global>();
      const { current, profiles } = await readProfiles();
      const name = profileName(given, current);
      const known = profiles[name];
      const url =
        options.url ??
        known?.url ??
        process.env.CHAIRSIDE_URL ??
        (await askText('Address of the API', '--url'));
      checkedAddress(url);
      const email = options.email ?? (await askText('E-mail', '--email', known?.email));
      const entered = await readPassword('Password', options.passwordStdin);
      const { password } = entered;
      const at = { baseUrl: url, fetch: fetchAsCli };
      const session = await withFactor(entered, (answer) =>
        Chairside.signIn({ ...at, ...(answer === undefined ? { email, password } : { answer }) }),
      );
      await updateProfile(
        name,
        (profile) => ({
          // A new session at the same address keeps the secret of `listen`.
          ...(profile?.url === url && profile),
          url,
          email,
          token: session.token,
          expiryTime: session.expiryTime,
        }),
        // The first profile becomes the current one.
        (stored) => (Object.keys(stored.profiles).length === 0 ? name : stored.current),
      );
      say(
        `Signed in to ${new URL(url).host} as ${email} (${session.role}), until ${session.expiryTime} at the latest.`,
      );
      say(`The access token is in ${profilesFile()}.`);
    });
};

const addLogout = (program: Command): void => {
  const command = program
    .command('logout')
    .description('End the session and remove its access token')
    .action(async () => {
      const { profile: given } = command.optsWithGlobals<Global>();
      const { current, profiles } = await readProfiles();
      const name = profileName(given, current);
      const known = profiles[name];
      if (known?.token === undefined)
        throw new CliError(`Profile ${name} is not signed in.`, EXIT.notAllowed);
      const client = clientOf(
        { url: known.url, kind: 'token', secret: known.token, source: name },
        'operator',
      );
      try {
        await client.sessions.signOut();
      } catch (error) {
        // 401: the session has already ended. Any other failure is reported. The token is removed in both cases.
        if ((error as { status?: number }).status !== 401)
          say(`The session could not be ended, and expires by itself: ${describe(error).text}`);
      }
      await updateProfile(name, (profile) => {
        const { token: _token, expiryTime: _expiry, ...rest } = profile ?? known;
        return rest;
      });
      say(`Signed out of ${new URL(known.url).host}.`);
    });
};

const addWhoami = (program: Command): void => {
  const command = program.command('whoami').description('Show whose credentials are used');
  addOutputOptions(command).action(async (options: OutputOptions) => {
    const access = await findAccess(command.optsWithGlobals<Global>().profile);
    const client = clientOf(access, 'any');
    const place = { url: access.url, source: access.source };
    if (access.kind === 'apiKey') {
      const key = await client.apiKeys.current();
      await printRow({ kind: 'API key', ...key, ...place }, options);
      return;
    }
    if (access.secret.startsWith('chairside_program_')) {
      const { name, access: granted, clinicIds, expiryTime, ref } = await client.sessions.currentToken();
      await printRow(
        { kind: 'program token', name, access: granted, clinicIds, expiryTime, ref, ...place },
        options,
      );
      return;
    }
    const session = await client.sessions.current();
    const { role, operatorId, createdTime, expiryTime } = session;
    await printRow({ kind: 'operator', role, operatorId, createdTime, expiryTime, ...place }, options);
  });
};

const COLUMNS = ['name', 'current', 'url', 'email', 'signedIn', 'expiryTime'];

const addProfiles = (program: Command): void => {
  const parent = program
    .command('profiles')
    .description('The addresses and sessions that this computer has stored');
  addOutputOptions(parent.command('list', { isDefault: true }).description('List the profiles')).action(
    async (options: OutputOptions) => {
      const { current, profiles } = await readProfiles();
      const rows = Object.entries(profiles).map(([name, { url, email, token, expiryTime }]) => ({
        name,
        current: name === current,
        url,
        email,
        signedIn: token !== undefined,
        expiryTime,
      }));
      const pages = (async function* () {
        yield rows;
      })();
      await printRows(pages, options, { shown: COLUMNS, all: COLUMNS });
    },
  );
  parent
    .command('use <name>')
    .description('Make a profile the current one')
    .action(async (name: string) => {
      const stored = await readProfiles();
      if (stored.profiles[name] === undefined)
        throw new UsageError(
          `There is no profile ${JSON.stringify(name)}. Run \`chairside login --profile ${name}\`.`,
        );
      await writeProfiles({ ...stored, current: name });
      say(`The current profile is ${name}.`);
    });
  parent
    .command('remove <name>')
    .description('Remove a profile. This does not end its session: run logout first')
    .action(async (name: string) => {
      await updateProfile(name, (profile) => {
        if (profile === undefined) throw new UsageError(`There is no profile ${JSON.stringify(name)}.`);
        return undefined;
      });
      say(`Removed the profile ${name}.`);
    });
};

/** Adds login, logout, whoami and profiles. */
export const addAccessCommands = (program: Command): void => {
  addLogin(program);
  addLogout(program);
  addWhoami(program);
  addProfiles(program);
};
