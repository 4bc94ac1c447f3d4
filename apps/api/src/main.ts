import { startFailure } from '@chairside/domain';
import { openStore } from '@chairside/mongodb';
import { openEventProducer } from '@chairside/queue';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

/** How long requests under way may take to end after SIGTERM, in milliseconds. */
const DRAIN_TIMEOUT = 10_000;

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
    onError: (error) => app.log.warn({ err: error }, 'redis'),
  });
  const app = buildApp({ config, store, queue });

  const stop = async (signal: string) => {
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
  await app.listen({ host: config.HOST, port: config.PORT });
};

start().catch((error: unknown) => {
  console.error(startFailure(error) ?? error);
  process.exit(1);
});
