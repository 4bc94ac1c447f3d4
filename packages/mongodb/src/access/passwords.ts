import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { beyondFullQueue, createFairQueue, type FairQueue, refusalOfFullQueue } from '@chairside/concurrency';
import type { ResourceLimit } from '@chairside/domain';

const derive = promisify(argon2);
// The parameters of the OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, 2 passes, 1 lane.
const MEMORY = 19_456;
const PASSES = 2;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** Maximum number of hashes that are computed concurrently. Each uses a CPU core and 19 MiB of memory. */
const MAX_HASHES_AT_ONCE = 2;
/** Maximum number of waiting hashes. */
const MAX_HASHES_WAITING = 100;
/** The `Retry-After` of a request that is refused because too many hashes wait, in seconds. */
const RETRY_AFTER = 2;

export const passwordLimits: readonly ResourceLimit[] = [
  {
    id: 'password_hashes',
    part: 'Signing in',
    resource: 'Passwords that are being hashed; each takes 19 MiB of memory and one core',
    value: MAX_HASHES_AT_ONCE,
    unit: 'at once in each process',
    beyond: 'the request waits; networks take turns',
    metric: 'chairside_api_passwords_waiting',
  },
  {
    id: 'passwords_waiting',
    part: 'Signing in',
    resource: 'Passwords that wait to be hashed',
    value: MAX_HASHES_WAITING,
    unit: 'in each process',
    beyond: beyondFullQueue('a network'),
    metric: 'chairside_api_refusals_total',
  },
];

/** Hashes passwords, at most two at a time in a process, because each hash uses a CPU core and 19 MiB of memory. */
export type Passwords = {
  /**
   * @param caller the network of the caller. Networks take turns, so that many attempts of one do not block those of
   *   another
   * @returns `argon2id:<base64 salt>:<base64 tag>`
   * @throws {Refusal} TooManyRequests or ServiceUnavailable when too many hashes wait
   */
  hash(password: string, caller: string): Promise<string>;
  /**
   * Whether the stored hash belongs to this password. Without a stored hash, or with an empty one, the call takes about the same time, so
   * that the response time does not reveal whether an operator exists.
   *
   * @throws {Refusal} TooManyRequests or ServiceUnavailable when too many hashes wait
   */
  matches(password: string, stored: string | undefined, caller: string): Promise<boolean>;
  waiting(): number;
};

const NOBODY = `argon2id:${randomBytes(SALT_BYTES).toString('base64')}:${randomBytes(TAG_BYTES).toString('base64')}`;

export const createHashQueue = (): FairQueue =>
  createFairQueue({ atOnce: MAX_HASHES_AT_ONCE, maxWaiting: MAX_HASHES_WAITING });

/** @param queue the queue of hashes, which all callers of a process share */
export const openPasswords = (queue: FairQueue = createHashQueue()): Passwords => {
  const tagOf = async (password: string, salt: Buffer, caller: string): Promise<Buffer> => {
    try {
      return await queue.run(caller, () =>
        derive('argon2id', {
          message: password.normalize('NFKC'),
          nonce: salt,
          parallelism: 1,
          memory: MEMORY,
          passes: PASSES,
          tagLength: TAG_BYTES,
        }),
      );
    } catch (cause) {
      throw refusalOfFullQueue(cause, {
        what: 'passwords',
        whose: 'network',
        retryAfter: RETRY_AFTER,
        limit: 'passwords_waiting',
      });
    }
  };

  return {
    async hash(password, caller) {
      const salt = randomBytes(SALT_BYTES);
      const tag = await tagOf(password, salt, caller);
      return `argon2id:${salt.toString('base64')}:${tag.toString('base64')}`;
    },
    async matches(password, stored, caller) {
      const [, salt = '', tag = ''] = (stored || NOBODY).split(':');
      const computed = await tagOf(password, Buffer.from(salt, 'base64'), caller);
      return timingSafeEqual(computed, Buffer.from(tag, 'base64')) && Boolean(stored);
    },
    waiting: queue.waiting,
  };
};
