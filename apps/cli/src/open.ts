import { Argument, type Command } from 'commander';
import { profileName } from './access/credentials.ts';
import type { GlobalOptions } from './access/open-client.ts';
import { readProfiles } from './access/profiles.ts';
import { CliError, EXIT, requestLine, UsageError } from './failure.ts';
import { say } from './output/stdout.ts';

const PAGES = ['docs', 'dashboard'] as const;
type Page = (typeof PAGES)[number];

/** How long the service may take to return the address of the dashboard. */
const TIMEOUT_MS = 10_000;

const isWebAddress = (address: string | null | undefined): address is string =>
  /^https?:$/.test(URL.parse(address ?? '')?.protocol ?? '');

/**
 * The address of the dashboard, from the configuration of the service.
 *
 * @throws {CliError} if the service has no dashboard, or is unavailable
 */
const findDashboard = async (service: string): Promise<string> => {
  const { host } = new URL(service);
  const response = await fetch(`${service}/dashboard`, {
    redirect: 'manual',
    signal: AbortSignal.timeout(TIMEOUT_MS),
  }).catch(() => {
    throw new CliError(`${host} cannot be reached. Check the address, and try again.`, EXIT.unavailable);
  });
  await response.body?.cancel();
  const address = response.headers.get('location');
  if (response.status === 302 && isWebAddress(address)) return address;
  const withId = (message: string): string =>
    [message, requestLine(response.headers.get('x-request-id')) ?? []].flat().join('\n');
  if (response.status >= 500)
    throw new CliError(withId(`${host} is unavailable. Try again later.`), EXIT.unavailable);
  throw new CliError(
    withId(
      `${host} has no dashboard. If there is one, its address must be in the setting DASHBOARD_URL of the api.`,
    ),
    EXIT.notFound,
  );
};

/** Adds `open`, which shows a page of the service in the browser. */
export const addOpenCommand = (program: Command): void => {
  const command = program
    .command('open')
    .description('Open the documentation of the API, or the dashboard, in the browser')
    .addArgument(new Argument('<page>', 'the page').choices(PAGES))
    .action(async (page: Page) => {
      const { current, profiles } = await readProfiles();
      const given = command.optsWithGlobals<GlobalOptions>().profile;
      const url =
        (given === undefined && process.env.CHAIRSIDE_URL) || profiles[profileName(given, current)]?.url;
      if (!url || !isWebAddress(url))
        throw new UsageError('Run `chairside login`, or set CHAIRSIDE_URL to an address with https://.');
      const service = url.replace(/\/+$/, '');
      const address = page === 'docs' ? `${service}/docs` : await findDashboard(service);
      say(address);
      const { default: open } = await import('open');
      await open(address);
    });
};
