import { join } from 'node:path';
import { startChild } from '../child.ts';
import type { Ground } from './ground.ts';

/** The commands that a proxy has forwarded, by name and collection. */
export type Counts = Readonly<Record<string, number>>;

/**
 * Starts a proxy in front of MongoDB that counts commands, and returns the URL of MongoDB through it.
 *
 * @param later how much later each command reaches MongoDB, in milliseconds
 */
export const startCountingProxy = async (
  { running, service }: Ground,
  later = 0,
): Promise<{ url: string; counts(): Promise<Counts> }> => {
  const url = new URL(service.environment.MONGODB_URL ?? '');
  const { child, hello } = await startChild<{ port: number }, { counts: true }, Counts>(
    join(import.meta.dirname, 'proxy-process.ts'),
    [url.hostname, url.port, String(later)],
  );
  running.defer(() => child.stop());
  url.host = `127.0.0.1:${hello.port}`;
  // With a replica set, the driver would connect to the members directly.
  url.searchParams.set('directConnection', 'true');
  return { url: url.href, counts: () => child.ask({ counts: true }) };
};
