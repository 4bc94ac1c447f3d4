import { Chairside, ChairsideError, type ChairsideOptions, type FetchedResponse } from '@chairside/client';
import { CliError, EXIT, UsageError } from '../failure.ts';
import { VERSION } from '../version.ts';
import { type Profile, readProfiles } from './profiles.ts';

/** The credentials that a command uses, and where they come from. */
export type Access = {
  url: string;
  kind: 'apiKey' | 'token';
  secret: string;
  /** The source of the credentials in messages, for example `CHAIRSIDE_API_KEY` or `profile default`. */
  source: string;
  /** The name of the profile, if the credentials come from one. */
  profile?: string;
};

/** The credentials that a command needs: `any`, or those of an operator. */
export type Need = 'any' | 'operator';

/** The name of the profile: `--profile`, `CHAIRSIDE_PROFILE`, or the current profile. */
export const profileName = (given: string | undefined, current: string): string =>
  given ?? (process.env.CHAIRSIDE_PROFILE || current);

const fromEnvironment = (): Access | undefined => {
  const { CHAIRSIDE_URL, CHAIRSIDE_API_KEY, CHAIRSIDE_TOKEN } = process.env;
  if (!CHAIRSIDE_API_KEY && !CHAIRSIDE_TOKEN) return undefined;
  if (CHAIRSIDE_API_KEY && CHAIRSIDE_TOKEN)
    throw new UsageError('Set either CHAIRSIDE_API_KEY or CHAIRSIDE_TOKEN, not both.');
  if (!CHAIRSIDE_URL)
    throw new UsageError('Set CHAIRSIDE_URL to the address of the API, such as https://api.example.com.');
  return CHAIRSIDE_API_KEY
    ? { url: CHAIRSIDE_URL, kind: 'apiKey', secret: CHAIRSIDE_API_KEY, source: 'CHAIRSIDE_API_KEY' }
    : { url: CHAIRSIDE_URL, kind: 'token', secret: CHAIRSIDE_TOKEN ?? '', source: 'CHAIRSIDE_TOKEN' };
};

/**
 * Returns the address of the API.
 *
 * @throws {UsageError} if it ends in /api, with which every path of the API begins
 */
export const checkedAddress = (url: string): string => {
  const base = url.replace(/\/api\/?$/, '');
  if (base === url) return url;
  throw new UsageError(`${url}: give the address of the API without /api: ${base}`);
};

const fromProfile = (name: string, profile: Profile | undefined): Access => {
  if (profile?.token !== undefined) {
    return {
      url: profile.url,
      kind: 'token',
      secret: profile.token,
      source: `profile ${name}`,
      profile: name,
    };
  }
  throw new CliError(
    'You are not signed in. Run `chairside login`, or set CHAIRSIDE_URL and CHAIRSIDE_API_KEY.',
    EXIT.notAllowed,
  );
};

/**
 * Finds the credentials: those of `--profile` if it is given, else those in the environment, else those of the profile
 * of `CHAIRSIDE_PROFILE` or of the current profile.
 *
 * @throws {CliError} if there are no credentials, or if the environment or the profiles file is not usable
 */
export const findAccess = async (given: string | undefined): Promise<Access> => {
  const environment = given === undefined ? fromEnvironment() : undefined;
  if (environment !== undefined) return environment;
  const { current, profiles } = await readProfiles();
  const name = profileName(given, current);
  const known = Object.keys(profiles);
  if (name !== current && !known.includes(name)) {
    const others = known.length === 0 ? 'There are none yet.' : `Known are ${known.join(', ')}.`;
    throw new UsageError(
      `There is no profile ${JSON.stringify(name)}. ${others} \`chairside login --profile ${name}\` creates it.`,
    );
  }
  return fromProfile(name, profiles[name]);
};

const USER_AGENT = `chairside-cli/${VERSION}`;

/** The largest response that is read, in MiB. The API ends a page after 8 MiB. */
const MAX_RESPONSE = 64;

/** Reads the body of a response. @throws {ChairsideError} `ResponseTooLarge` */
const textOf = async ({ url, headers, body }: Response): Promise<string> => {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_RESPONSE * 2 ** 20) {
      throw new ChairsideError({
        name: 'ResponseTooLarge',
        message: `The response of ${new URL(url).host} is larger than ${MAX_RESPONSE} MiB. Check the address. For a long list, use a list command.`,
        requestId: headers.get('x-request-id') ?? undefined,
      });
    }
    text += decoder.decode(part, { stream: true });
  }
  return text + decoder.decode();
};

/** The fetch of the runtime. It sends the name of this program as the user agent, and limits the size of a response. */
export const fetchAsCli: NonNullable<ChairsideOptions['fetch']> = async (
  url,
  init,
): Promise<FetchedResponse> => {
  const response = await globalThis.fetch(url, {
    ...init,
    headers: { ...init?.headers, 'user-agent': USER_AGENT },
  });
  const { status, headers } = response;
  return { status, headers, text: () => textOf(response) };
};

/** @throws {CliError} before any request, if the command needs an operator and the credentials are an API key */
export const clientOf = ({ url, kind, secret, source }: Access, need: Need): Chairside => {
  if (need === 'operator' && kind === 'apiKey') {
    throw new CliError(
      `This command needs an operator, and ${source} is an API key. Run \`chairside login\`, or set CHAIRSIDE_TOKEN.`,
      EXIT.notAllowed,
    );
  }
  // Without `Retry-After`, the waits before three retries are at most 3.5 s in total. A person should not wait longer
  // for the error.
  const connection = { baseUrl: checkedAddress(url), fetch: fetchAsCli, retry: { maxAttempts: 4 } };
  return kind === 'apiKey'
    ? new Chairside({ ...connection, apiKey: secret })
    : new Chairside({ ...connection, accessToken: secret });
};
