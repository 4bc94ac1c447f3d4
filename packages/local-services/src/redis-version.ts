import { run } from './command.ts';
import { isAtLeast, versionIn } from './version.ts';

/** BullMQ needs commands of this version. */
export const OLDEST_REDIS = '6.2.0';

/** The version of a redis-server or valkey-server. Throws when it does not run or is too old. */
export async function redisBinaryVersion(
  binary: string,
  environment: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string> {
  const version = versionIn(await run(binary, ['--version'], { signal, environment, timeoutMs: 5_000 }));
  if (version === undefined) throw new Error(`${binary} does not tell its version`);
  if (!isAtLeast(version, OLDEST_REDIS))
    throw new Error(`${binary} is ${version}, ${OLDEST_REDIS} is needed`);
  return version;
}
