import { OLDEST_GIVEN_MONGODB, OLDEST_REDIS } from '../binary-version.ts';
import { LocalServicesError, reasonOf } from '../problem.ts';
import { mongodbAt, type NamedBy } from '../running-mongod.ts';
import { redisAt } from '../running-redis.ts';
import { isAtLeast } from '../version.ts';
import { type Source, unavailable } from './source.ts';

/** @param others recognize the known servers that are not MongoDB, for the description */
export const givenMongodb = (others: readonly NamedBy[]): Source =>
  givenUrl('MONGODB_URL', async (url) => {
    const { description, version } = await mongodbAt(url, others);
    checkVersion(version, OLDEST_GIVEN_MONGODB);
    return description;
  });

export const givenRedis = givenUrl('REDIS_URL', async (url) => {
  const { version } = await redisAt(url);
  checkVersion(version, OLDEST_REDIS);
  return `Redis ${version}`;
});

function checkVersion(version: string, oldest: string): void {
  if (!isAtLeast(version, oldest)) throw new Error(`it is ${version}, but ${oldest} or later is required`);
}

/** A server that runs outside of this package. It must respond, but is never started, stopped or wiped. */
function givenUrl(variable: string, describe: (url: string) => Promise<string>): Source {
  return {
    name: variable,
    find: async ({ environment }) => {
      const url = environment[variable];
      if (!url) return unavailable('not set');
      try {
        return { outcome: 'given', url, description: `${await describe(url)} (given by ${variable})` };
      } catch (error) {
        throw new LocalServicesError(
          'URL_UNUSABLE',
          `${variable} is ${withoutSecret(url)}, which cannot be used: ${withoutSecret(reasonOf(error))}. ` +
            `Start that server, correct the address, or unset ${variable} to have one started for you.`,
          { cause: error },
        );
      }
    },
  };
}

/** Removes user and password, even from a URL that is invalid because the password is not percent-encoded. */
function withoutSecret(text: string): string {
  return text.replace(/\/\/.*@/g, '//…@');
}
