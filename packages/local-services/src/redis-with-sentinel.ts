import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { LOOPBACK } from '@chairside/processes';
import { Redis } from 'ioredis';
import type { Engine } from './engine.ts';
import { startRedis } from './engines.ts';
import { withFreePorts } from './free-ports.ts';
import { LocalServicesError } from './problem.ts';
import { type RedisCertificate, tlsArguments } from './redis-certificate.ts';

const MASTER_NAME = 'chairside';
const READY_WITHIN_MS = 20_000;
const POLL_MS = 50;

/**
 * A master, a replica, and a sentinel that promotes the replica when the master fails. Their data is deleted when they
 * are stopped.
 */
export type RedisWithSentinel = {
  /** A URL that starts with `redis+sentinel://` or `rediss+sentinel://`. */
  readonly url: string;
  readonly master: Engine;
  readonly replica: Engine;
  readonly sentinel: Engine;
  stop(): Promise<void>;
};

/**
 * Starts a master, a replica and a sentinel.
 *
 * @param certificate for TLS between the servers and with clients
 * @throws {LocalServicesError} if a server does not start
 */
export async function startRedisWithSentinel(
  environment: NodeJS.ProcessEnv = process.env,
  certificate?: RedisCertificate,
): Promise<RedisWithSentinel> {
  const running: Engine[] = [];
  const folder = await mkdtemp(join(tmpdir(), 'sentinel-'));
  const stop = async () => {
    for (const engine of running.toReversed()) await engine.stop();
    await rm(folder, { recursive: true, force: true });
  };
  /** @returns the server, and its port for clients and for the other servers */
  const start = (firstArguments: readonly string[]) =>
    withFreePorts(1, async ([tlsPort = 0]) => {
      const engine = await startRedis({ ephemeral: true, environment: { ...environment, REDIS_URL: '' } }, [
        ...firstArguments,
        ...(certificate ? tlsArguments(tlsPort, certificate) : []),
      ]);
      running.push(engine);
      return { engine, port: certificate ? String(tlsPort) : new URL(engine.url).port };
    });
  try {
    // Without this argument, the master waits 5 s for more replicas before it sends its data to the first one.
    const { engine: master, port } = await start(['--repl-diskless-sync-delay', '0']);
    const { engine: replica } = await start(['--replicaof', LOOPBACK, port]);
    await until(replica, (client) => client.info('replication'), /master_link_status:up/);
    const file = join(folder, 'sentinel.conf');
    await writeFile(file, configuration(port));
    const { engine: sentinel, port: sentinelPort } = await start([file, '--sentinel']);
    await until(
      sentinel,
      async (client) => String(await client.call('SENTINEL', 'REPLICAS', MASTER_NAME)),
      /master-link-status,ok/,
    );
    const url = `${certificate ? 'rediss' : 'redis'}+sentinel://${LOOPBACK}:${sentinelPort}/${MASTER_NAME}`;
    return { url, master, replica, sentinel, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/**
 * The configuration of the sentinel, which detects a failed master quickly and retries quickly. The sentinel writes its
 * state into the same file.
 */
const configuration = (port: string) => `
sentinel monitor ${MASTER_NAME} ${LOOPBACK} ${port} 1
sentinel down-after-milliseconds ${MASTER_NAME} 500
sentinel failover-timeout ${MASTER_NAME} 2000
`;

async function until(
  engine: Engine,
  ask: (client: Redis) => Promise<string>,
  response: RegExp,
): Promise<void> {
  const client = new Redis(engine.url);
  const deadline = Date.now() + READY_WITHIN_MS;
  try {
    while (!response.test(await ask(client))) {
      if (Date.now() > deadline) {
        throw new LocalServicesError(
          'ENGINE_FAILED',
          `${engine.source} does not reach the state ${response}`,
        );
      }
      await delay(POLL_MS);
    }
  } finally {
    client.disconnect();
  }
}
