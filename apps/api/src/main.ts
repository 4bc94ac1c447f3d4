import { SettingsError } from '@chairside/domain';
import { isDatabaseAway, openStore } from '@chairside/mongodb';
import { openEventProducer } from '@chairside/queue';
import { buildApp } from './app.ts';
import { readConfig } from './config.ts';

/** How long requests under way may take to end after SIGTERM, in milliseconds. */
const DRAIN_TIMEOUT = 10_000;
/** How long to wait before looking for the database again, in milliseconds. */
const RETRY_DELAY = 1000;

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
  let stopping = false;

  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    app.log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT).unref();
    await app.close();
    await queue.close();
    await store.close();
    process.exit(0);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  for (;;) {
    try {
      await store.prepare();
      break;
    } catch (error) {
      if (!isDatabaseAway(error)) throw error;
      app.log.warn({ err: error }, 'waiting for the database');
      await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY));
    }
  }
  if (!stopping) await app.listen({ host: config.HOST, port: config.PORT });
};

start().catch((error: unknown) => {
  // A sentence for what the operator can mend, the whole of it for what he cannot.
  const known =
    error instanceof SettingsError ||
    (error instanceof Error && 'code' in error) ||
    error instanceof RangeError;
  console.error(
    known || (error instanceof Error && error.name === 'WrongEncryptionKeyError')
      ? (error as Error).message
      : error,
  );
  process.exit(1);
});
