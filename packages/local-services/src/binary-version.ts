import { run } from '@chairside/processes';
import { isAtLeast, versionIn } from './version.ts';

/** BullMQ needs commands of this version of Redis. */
export const OLDEST_REDIS = '6.2.0';

/** What the project supports and is tested with: what is started here is at least that. */
export const OLDEST_MONGODB = '7.0.0';

/** The services refuse an older one at their start (`packages/mongodb/src/server-version.ts` says why). */
export const OLDEST_GIVEN_MONGODB = '4.4.0';

/** What a program says of itself with `--version`. Throws when it does not run or is older than `oldest`. */
export async function binaryVersion(
  binary: string,
  oldest: string,
  { environment, signal }: { environment: NodeJS.ProcessEnv; signal: AbortSignal },
): Promise<string> {
  const text = await run(binary, ['--version'], { signal, environment, timeoutMs: 10_000 });
  const version = versionIn(text);
  if (version === undefined) throw new Error(`${binary} does not tell its version`);
  if (!isAtLeast(version, oldest))
    throw new Error(`${binary} is version ${version}, ${oldest} or later is needed`);
  return version;
}
