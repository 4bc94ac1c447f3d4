import { run } from '@chairside/processes';
import { isAtLeast, versionIn } from './version.ts';

/** The oldest supported version of Redis. BullMQ needs commands of this version. */
export const OLDEST_REDIS = '6.2.0';

/**
 * The oldest version of MongoDB that the project supports and tests. A mongod that this package starts has at least
 * this version.
 */
export const OLDEST_MONGODB = '7.0.0';

/**
 * The oldest version of a server at MONGODB_URL. The services refuse an older version at startup
 * (`packages/mongodb/src/preparation/server-version.ts` gives the reason).
 */
export const OLDEST_GIVEN_MONGODB = '4.4.0';

/**
 * The oldest supported version of Chromium. The pages of the dashboard use features of this version: Trusted Types and
 * `light-dark()`.
 */
export const OLDEST_CHROMIUM = '123.0';

/** The oldest version of Prometheus that the alert rules are tested with, and for. */
export const OLDEST_PROMETHEUS = '2.42.0';

/**
 * The version that a program reports with `--version`.
 *
 * @throws {Error} if the program does not run, reports no version, or is older than `oldest`
 */
export async function binaryVersion(
  binary: string,
  oldest: string,
  { environment, signal }: { environment: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string> {
  const text = await run(binary, ['--version'], { signal, environment, timeoutMs: 10_000 });
  const version = versionIn(text);
  if (version === undefined) throw new Error(`${binary} does not report its version`);
  if (!isAtLeast(version, oldest))
    throw new Error(`${binary} is version ${version}, but ${oldest} or later is required`);
  return version;
}
