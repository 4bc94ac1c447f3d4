import { argon2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import type { ResourceLimit } from '@chairside/domain';

const derive = promisify(argon2);
// OWASP Password Storage Cheat Sheet: argon2id with 19 MiB, 2 passes, 1 lane.
const MEMORY = 19_456;
const PASSES = 2;
const SALT_BYTES = 16;
const TAG_BYTES = 32;
/** How many hashes are computed at once; each takes a core and 19 MiB. */
const MAX_AT_ONCE = 2;

let running = 0;
const waiting: (() => void)[] = [];

const hash = async (password: string, salt: Buffer): Promise<Buffer> => {
  if (running >= MAX_AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve));
  else running++;
  try {
    return await derive('argon2id', {
      message: password.normalize('NFKC'),
      nonce: salt,
      parallelism: 1,
      memory: MEMORY,
      passes: PASSES,
      tagLength: TAG_BYTES,
    });
  } finally {
    const next = waiting.shift();
    if (next === undefined) running--;
    else next();
  }
};

/** @returns `argon2id:<base64 salt>:<base64 tag>` */
export const hashPassword = async (password: string): Promise<string> => {
  const salt = randomBytes(SALT_BYTES);
  const tag = await hash(password, salt);
  return `argon2id:${salt.toString('base64')}:${tag.toString('base64')}`;
};

const NOBODY = `argon2id:${randomBytes(SALT_BYTES).toString('base64')}:${randomBytes(TAG_BYTES).toString('base64')}`;

/**
 * Whether this is the password behind the hash. Without a hash the same work is done for nothing, so that the time
 * does not tell whether an operator exists.
 */
export const isPassword = async (password: string, stored: string | undefined): Promise<boolean> => {
  const [, salt = '', tag = ''] = (stored ?? NOBODY).split(':');
  const matches = timingSafeEqual(
    await hash(password, Buffer.from(salt, 'base64')),
    Buffer.from(tag, 'base64'),
  );
  return matches && stored !== undefined;
};

export const passwordLimits: readonly ResourceLimit[] = [
  {
    id: 'password_hashes',
    part: 'Signing in',
    resource: 'Password hashes, each of 19 MiB and a core',
    value: MAX_AT_ONCE,
    unit: 'at once in each process',
    beyond: 'the sign-in waits',
  },
];
