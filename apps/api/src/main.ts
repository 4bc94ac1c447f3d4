import { startFailure } from '@chairside/domain';
import { openStore } from '@chairside/mongodb';
import { openEventProducer } from '@chairside/queue';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

/** How long requests under way may take to end after SIGTERM, in milliseconds. */
const DRAIN_TIMEOUT = 10_000;

let stopping = false;

const start = async (): Promise<void> => {
  const config = readConfig();
  const store = openStore({
    url: config.MONGODB_URL,
    encryptionKeys: config.ENCRYPTION_KEYS,
    appName: 'chairside-api',
  });
  const queue = openEventProducer({
    url: config.REDIS_URL,
    prefix: config.REDIS_PREFIX,
    onAway: (error) => app.log.warn({ err: error }, 'redis is away: events are delivered by the sweep'),
    onBack: () => app.log.info('redis is back'),
  });
  const app = buildApp({ config, store, queue });

  const stop = async (signal: string) => {
    stopping = true;
    app.log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT).unref();
    await app.close();
    await queue.close();
    await store.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  await store.prepare((error) => app.log.warn({ err: error }, 'waiting for the database'));
  if (!stopping) await app.listen({ host: config.HOST, port: config.PORT });
};

start().catch((error: unknown) => {
  // A start that a signal ended has not failed.
  if (stopping) return;
  console.error(startFailure(error) ?? error);
  process.exit(1);
});
