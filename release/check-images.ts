/**
 * Builds the images of all programs, starts the services from them with the settings of compose.yaml and of the
 * manifests, and checks what they do: `npm run check:images`.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { startEngines } from '@chairside/local-services';
import { startRecordingReceiver } from '@chairside/test-support';
import { APPS, buildArgumentsOf, versionInRepository } from './build-arguments.ts';
import { type Builder, findBuilder, NO_BUILDER, root } from './builder.ts';
import { contentsOf } from './contents.ts';
import { startLoad } from './load.ts';
import { type Admin, createPractice, verifiedRecord } from './practice.ts';
import { outputOf, type Running, untilReady } from './service.ts';
import {
  composeSettings,
  databaseAt,
  freePorts,
  manifestSettings,
  type Place,
  PORTS,
  SERVICES,
  type Service,
  type Settings,
  textOf,
} from './settings.ts';

const tagOf = (app: string): string => `chairside/${app}:check`;
/** A user that no image knows. The images must run as any user. */
const ANY_USER = 12_345;
const print = (line = ''): void => console.log(line);
const mebibytes = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;

const secret = (): string => randomBytes(32).toString('base64');

/** @param name the name of a new database */
const placeOf = async (engines: { mongodb: string; redis: string }, name: string): Promise<Place> => {
  const ports = await Promise.all(SERVICES.map(async (service) => [service, await freePorts(service)]));
  return {
    mongodbUrl: databaseAt(engines.mongodb, name),
    redisUrl: engines.redis,
    encryptionKeys: `1:${secret()}`,
    proxySecret: randomBytes(24).toString('hex'),
    oauthKeys: `1:${secret()}`,
    introspectionSecret: randomBytes(24).toString('hex'),
    ports: Object.fromEntries(ports),
  };
};

/** Builds the images, and checks their labels and contents. */
const buildAll = async (builder: Builder): Promise<void> => {
  print('image                 built in     image   /service    files  SHA-256 of /service');
  for (const app of APPS) {
    const began = performance.now();
    await builder.build(tagOf(app), buildArgumentsOf(app));
    const seconds = (performance.now() - began) / 1000;
    const { bytes, labels } = await builder.inspect(tagOf(app));
    const version = labels['org.opencontainers.image.version'];
    if (version !== versionInRepository()) throw new Error(`The label of ${app} has version ${version}.`);
    const contents = await contentsOf(builder, tagOf(app), ANY_USER);
    if (contents.unneeded.length > 0)
      throw new Error(`The image of ${app} contains ${contents.unneeded.slice(0, 10).join(', ')}.`);
    const columns = [
      app.padEnd(20),
      `${seconds.toFixed(0)} s`.padStart(9),
      mebibytes(bytes).padStart(9),
      mebibytes(contents.bytes).padStart(10),
      String(contents.files).padStart(8),
      ` ${contents.digest}`,
    ];
    print(columns.join(' '));
  }
};

/** The check of the container that the Dockerfile defines for a service. */
const healthcheckOf = (service: Service): string[] => {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const [, command] =
    new RegExp(`^FROM runtime AS ${service}\\n[^]*?HEALTHCHECK[^]*?CMD (\\[.*\\])`, 'm').exec(text) ?? [];
  if (command === undefined) throw new Error(`The Dockerfile has no HEALTHCHECK for ${service}.`);
  return JSON.parse(command);
};

/** Starts services from their images, and ends them. */
const createStage = (builder: Builder, settings: Settings, user: number) => {
  const running = new Set<Running>();
  return {
    async start(service: Service, ports: Record<string, number> = {}): Promise<Running> {
      const environment = { ...settings[service], ...textOf(ports) };
      const run = { image: tagOf(service), environment, user };
      const address = `http://127.0.0.1:${environment[PORTS[service][0]]}/health/ready`;
      const started = await untilReady(run.image, await builder.run(run), address);
      running.add(started);
      const seconds = (started.readyAfterMs / 1000).toFixed(1);
      const response = await fetch(new URL('live', address));
      const live = (await response.json()) as { commit?: string };
      if (live.commit !== buildArgumentsOf(service).REVISION)
        throw new Error(`${service} says that it was built from ${live.commit}.`);
      const healthcheck = { ...run, command: healthcheckOf(service) };
      await outputOf(`the HEALTHCHECK of ${service}`, await builder.run(healthcheck));
      print(`  ${service.padEnd(20)} ready after ${seconds} s; its HEALTHCHECK succeeds`);
      return started;
    },
    async end(service: Running): Promise<void> {
      running.delete(service);
      await service.end();
    },
    async endAll(): Promise<void> {
      await Promise.all([...running].map((each) => this.end(each)));
    },
  };
};

/** chairside-admin, from its image. */
const adminOf =
  (builder: Builder, settings: Settings, user: number): Admin =>
  async (...given) =>
    outputOf(
      `chairside-admin ${given.join(' ')}`,
      await builder.run({ image: tagOf('admin'), arguments: given, environment: settings.admin, user }),
    );

const apiOf = (place: Place, ports = place.ports.api): string => `http://127.0.0.1:${ports.PORT}`;

/** Starts everything as compose.yaml does, and waits for a verified webhook. */
const checkCompose = async (builder: Builder, place: Place): Promise<void> => {
  const settings = composeSettings(place);
  const stage = createStage(builder, settings, 1000);
  const receiver = await startRecordingReceiver();
  try {
    for (const service of ['webhook-dispatcher', 'api', 'dashboard', 'mcp'] as const)
      await stage.start(service);
    const practice = await createPractice(adminOf(builder, settings, 1000), apiOf(place), receiver);
    const load = startLoad([apiOf(place)], practice.authorization, practice.clinicId);
    await receiver.until((posts) => posts.length > 0);
    await load.stop();
    for (const post of receiver.posts) verifiedRecord(practice, post);
    print('  a webhook arrived, and its signature is verified');
    const pages = [
      ...['/openapi.json', '/docs', '/docs/guide', '/docs/limits', '/docs/signatures'].map(
        (path) => apiOf(place) + path,
      ),
      `${settings.dashboard.PUBLIC_URL}/`,
    ];
    for (const page of pages) {
      const { ok, status } = await fetch(page);
      if (!ok) throw new Error(`${page} responded with ${status}`);
    }
    print(`  ${pages.length} pages of the api and the dashboard are there`);
  } finally {
    await stage.endAll();
    await receiver.close();
  }
};

/** Replaces every api and every dispatcher under load, as a rolling update does. */
const checkRollingUpdate = async (builder: Builder, place: Place): Promise<void> => {
  const settings = manifestSettings(place);
  const stage = createStage(builder, settings, ANY_USER);
  const receiver = await startRecordingReceiver();
  try {
    const dispatchers = [await stage.start('webhook-dispatcher')];
    const apis = [{ service: await stage.start('api'), address: apiOf(place) }];
    const practice = await createPractice(adminOf(builder, settings, ANY_USER), apiOf(place), receiver);
    const addApi = async () => {
      const ports = await freePorts('api');
      apis.push({ service: await stage.start('api', ports), address: apiOf(place, ports) });
    };
    await addApi();
    dispatchers.push(await stage.start('webhook-dispatcher', await freePorts('webhook-dispatcher')));

    const load = startLoad(
      apis.map(({ address }) => address),
      practice.authorization,
      practice.clinicId,
    );
    // One new process at a time, before an old one ends: maxSurge 1, maxUnavailable 0.
    for (const old of [...dispatchers]) {
      await stage.start('webhook-dispatcher', await freePorts('webhook-dispatcher'));
      await stage.end(old);
    }
    for (const old of [...apis]) {
      await addApi();
      load.add(apis.at(-1)?.address ?? '');
      // In a cluster, the pause before SIGTERM (preStop) has this effect.
      await load.remove(old.address);
      await stage.end(old.service);
    }
    await load.stop();
    const { created } = load;
    await receiver.until((posts) => posts.length >= created.length);
    const delivered = receiver.posts.map((post) => verifiedRecord(practice, post)).toSorted();
    if (JSON.stringify(delivered) !== JSON.stringify(created.toSorted()))
      throw new Error(`${created.length} patients were created, and ${delivered.length} webhooks arrived.`);
    print(`  ${created.length} requests during the update succeeded; each event arrived once`);
  } finally {
    await stage.endAll();
    await receiver.close();
  }
};

const builder = await findBuilder();
if (builder === undefined) {
  console.error(NO_BUILDER);
  process.exit(2);
}
print(`Built with ${builder.description}, on ${cpus().length} × ${cpus()[0]?.model.trim()}`);
print();
await buildAll(builder);
const engines = await startEngines({ ephemeral: true, onProgress: print });
const urls = { mongodb: engines.mongodb.url, redis: engines.redis.url };
try {
  print();
  print(
    `With the settings of compose.yaml, as user 1000, on ${engines.mongodb.source} and ${engines.redis.source}:`,
  );
  await checkCompose(builder, await placeOf(urls, 'compose'));
  print();
  print(`With the settings of the manifests, as user ${ANY_USER}, rolling update:`);
  await checkRollingUpdate(builder, await placeOf(urls, 'manifests'));
} finally {
  await engines.stop();
  await builder.close();
}
