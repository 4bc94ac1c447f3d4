import { once } from 'node:events';
import { startFailure } from '@chairside/domain';
import { openStore } from '@chairside/mongodb';
import pino from 'pino';
import { readConfig } from './config.ts';
import { createHealthServer } from './health-server.ts';
import { startWorkers } from './workers.ts';

/** How long attempts under way may take to end after SIGTERM, in milliseconds. */
const DRAIN_TIMEOUT = 6000;

const start = async (): Promise<void> => {
  const config = readConfig();
  const log = pino({ level: config.LOG_LEVEL, base: { service: 'webhook-dispatcher' } });
  const store = openStore({
    url: config.MONGODB_URL,
    encryptionKeys: config.ENCRYPTION_KEYS,
    appName: 'chairside-webhook-dispatcher',
  });
  const health = createHealthServer(() => store.ping());
  let stopWorkers = async () => {};

  const stop = async (signal: string) => {
    log.info({ signal }, 'stopping');
    setTimeout(() => process.exit(1), DRAIN_TIMEOUT).unref();
    health.close();
    await stopWorkers();
    await store.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);

  health.listen(config.HEALTH_PORT, config.HEALTH_HOST);
  await once(health, 'listening');
  await store.prepare((error) => log.warn({ err: error }, 'waiting for the database'));
  stopWorkers = startWorkers(config, store, log).stop;
  log.info({ address: health.address() }, 'dispatching');
};

start().catch((error: unknown) => {
  console.error(startFailure(error) ?? error);
  process.exit(1);
});
