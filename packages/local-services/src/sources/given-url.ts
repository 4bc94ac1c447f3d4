import { OLDEST_REDIS } from '../binary-version.ts';
import { mongodbAt } from '../mongodb-answer.ts';
import { LocalServicesError, reasonOf } from '../problem.ts';
import { redisAt } from '../redis-answer.ts';
import { isAtLeast } from '../version.ts';
import { type Source, unavailable } from './source.ts';

export const givenMongodb = givenUrl('MONGODB_URL', mongodbAt);

export const givenRedis = givenUrl('REDIS_URL', async (url) => {
  const { version } = await redisAt(url);
  if (!isAtLeast(version, OLDEST_REDIS))
    throw new Error(`it is ${version}, ${OLDEST_REDIS} or later is needed`);
  return `Redis ${version}`;
});

/** A server that somebody else runs; it must answer, but is never started, stopped or wiped. */
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
          `${variable} names ${withoutSecret(url)}, which cannot be used: ${withoutSecret(reasonOf(error))}. ` +
            `Start that server, correct the address, or unset ${variable} to have one started for you.`,
          { cause: error },
        );
      }
    },
  };
}

/** Leaves out user and password. */
function withoutSecret(text: string): string {
  return text.replace(/\/\/[^/@\s]*@/g, '//…@');
}
