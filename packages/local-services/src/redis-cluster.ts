import { setTimeout as delay } from 'node:timers/promises';
import { LOOPBACK } from '@chairside/processes';
import { Redis } from 'ioredis';
import type { Engine } from './engine.ts';
import { startRedis } from './engines.ts';
import { withFreePorts } from './free-ports.ts';
import { LocalServicesError } from './problem.ts';
import { type RedisCertificate, tlsArguments } from './redis-certificate.ts';

const NODES = 3;
const SLOTS = 16_384;
const FORMED_WITHIN_MS = 20_000;
const POLL_MS = 50;
/** How long a node may not respond before it counts as failed. */
const NODE_TIMEOUT_MS = 1_000;

/** A cluster of three masters without replicas. Its data is deleted when it is stopped. */
export type RedisCluster = {
  /** A URL with every node; it starts with `redis+cluster://` or `rediss+cluster://`. */
  readonly url: string;
  readonly nodes: readonly Engine[];
  stop(): Promise<void>;
};

/** A node, with its port for clients and its port for the other nodes. */
type Node = { engine: Engine; port: number; busPort: number };

/**
 * Starts a cluster. Requires Redis 7 or later.
 *
 * @param certificate for TLS between nodes and with clients; `url` then begins with `rediss+cluster://`
 * @throws {LocalServicesError} if a server does not start
 */
export async function startRedisCluster(
  environment: NodeJS.ProcessEnv = process.env,
  certificate?: RedisCertificate,
): Promise<RedisCluster> {
  const starts = await Promise.allSettled(
    Array.from({ length: NODES }, () => startNode(environment, certificate)),
  );
  const nodes = starts.flatMap((start) => (start.status === 'fulfilled' ? [start.value] : []));
  const engines = nodes.map(({ engine }) => engine);
  const stop = async () => void (await Promise.all(engines.map((engine) => engine.stop())));
  try {
    for (const start of starts) if (start.status === 'rejected') throw start.reason;
    await form(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  const hosts = nodes.map(({ port }) => `${LOOPBACK}:${port}`).join(',');
  return { url: `${certificate ? 'rediss' : 'redis'}+cluster://${hosts}`, nodes: engines, stop };
}

function startNode(environment: NodeJS.ProcessEnv, certificate?: RedisCertificate): Promise<Node> {
  // The default is 10,000 above the port, but an outgoing connection may be using that port.
  return withFreePorts(2, async ([busPort = 0, tlsPort = 0]) => {
    const engine = await startRedis({ ephemeral: true, environment: { ...environment, REDIS_URL: '' } }, [
      ...['--cluster-enabled', 'yes'],
      ...['--cluster-port', String(busPort)],
      ...['--cluster-node-timeout', String(NODE_TIMEOUT_MS)],
      ...(certificate ? tlsArguments(tlsPort, certificate) : []),
    ]);
    return { engine, busPort, port: certificate ? tlsPort : Number(new URL(engine.url).port) };
  });
}

/** Connects the nodes and assigns the slots. Resolves when all nodes agree. */
async function form(nodes: readonly Node[]): Promise<void> {
  const clients = nodes.map(({ engine }) => new Redis(engine.url));
  const share = Math.ceil(SLOTS / NODES);
  try {
    for (const [index, client] of clients.entries()) {
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', index + 1);
      const last = Math.min((index + 1) * share, SLOTS) - 1;
      await client.call('CLUSTER', 'ADDSLOTSRANGE', index * share, last);
    }
    for (const { port, busPort } of nodes.slice(1)) {
      await clients[0]?.call('CLUSTER', 'MEET', LOOPBACK, port, busPort);
    }
    await Promise.all(clients.map(untilFormed));
  } finally {
    for (const client of clients) client.disconnect();
  }
}

async function untilFormed(client: Redis): Promise<void> {
  const deadline = Date.now() + FORMED_WITHIN_MS;
  for (;;) {
    const info = String(await client.call('CLUSTER', 'INFO'));
    if (info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${NODES}`)) return;
    if (Date.now() > deadline) {
      throw new LocalServicesError('ENGINE_FAILED', `The nodes of Redis do not form a cluster:\n${info}`);
    }
    await delay(POLL_MS);
  }
}
