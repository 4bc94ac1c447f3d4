import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { freePort } from '@chairside/processes';
import { parse, parseAllDocuments } from 'yaml';
import { root } from './builder.ts';

/** The services in the order in which they are upgraded (docs/operation/upgrade.md). */
export const SERVICES = ['webhook-dispatcher', 'api', 'dashboard', 'mcp'] as const;
export type Service = (typeof SERVICES)[number];

/** The settings of ports of each service. The first one is the port of its health endpoints. */
export const PORTS: Record<Service, readonly [health: string, ...others: string[]]> = {
  api: ['PORT', 'METRICS_PORT'],
  'webhook-dispatcher': ['HEALTH_PORT'],
  dashboard: ['PORT', 'METRICS_PORT', 'INTROSPECTION_PORT'],
  mcp: ['PORT', 'METRICS_PORT'],
};
/** A free port for each port of a service, by the names of its settings. */
export const freePorts = async (service: Service): Promise<Record<string, number>> =>
  Object.fromEntries(await Promise.all(PORTS[service].map(async (name) => [name, await freePort()])));

/** The values of settings. */
export const textOf = (ports: Readonly<Record<string, number>>): Record<string, string> =>
  Object.fromEntries(Object.entries(ports).map(([name, port]) => [name, String(port)]));

/** The URL of another database on the same server. */
export const databaseAt = (url: string, name: string): string => {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return String(other);
};

/** The settings that depend on the place where the images run: engines, secrets and addresses. */
export type Place = {
  mongodbUrl: string;
  redisUrl: string;
  encryptionKeys: string;
  proxySecret: string;
  oauthKeys: string;
  introspectionSecret: string;
  /** The ports of each service, by the names of its settings. */
  ports: Readonly<Record<Service, Readonly<Record<string, number>>>>;
};

/** How the files of a kind of installation run a service. */
export type Settings = Readonly<Record<Service | 'admin', Readonly<Record<string, string>>>>;

const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const withoutEmpty = (values: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

/** Replaces `${NAME}`, `${NAME:-default}` and `${NAME:?message}` as Compose does, the innermost ones first. */
const interpolated = (text: string, values: Readonly<Record<string, string | undefined>>): string => {
  const replaced = text.replace(
    /\$\{([A-Z_]+)(?::([-?])([^${}]*))?\}/g,
    (_all, name: string, kind: string | undefined, rest: string) => {
      const value = values[name] ?? '';
      if (value === '' && kind === '?') throw new Error(`${name} is not set: ${rest}`);
      return value === '' && kind === '-' ? rest : value;
    },
  );
  return replaced === text ? text : interpolated(replaced, values);
};

/** The addresses of services in the files, and where they are here. */
const localAddresses = (text: string, { ports }: Place): string =>
  text
    .replace(/\/\/api(:\d+)?(?=\/|$)/, `//127.0.0.1:${ports.api.PORT}`)
    .replace(
      /\/\/(dashboard:3006|introspection)(?=\/|$)/,
      `//127.0.0.1:${ports.dashboard.INTROSPECTION_PORT}`,
    );

const here = (service: Service | 'admin', environment: Record<string, string>, place: Place) => {
  const local = Object.fromEntries(
    Object.entries(environment).map(([name, value]) => [name, localAddresses(value, place)]),
  );
  const ports = service === 'admin' ? {} : place.ports[service];
  const engines = {
    ...('MONGODB_URL' in local && { MONGODB_URL: place.mongodbUrl }),
    ...('REDIS_URL' in local && { REDIS_URL: place.redisUrl }),
  };
  return {
    ...local,
    ...engines,
    ...textOf(ports),
  };
};
const perService = <T>(of: (service: Service | 'admin') => T): Record<Service | 'admin', T> =>
  Object.fromEntries([...SERVICES, 'admin' as const].map((each) => [each, of(each)])) as never;

const addressesOf = ({ ports }: Place) => ({
  DASHBOARD_URL: `http://127.0.0.1:${ports.dashboard.PORT}`,
  MCP_URL: `http://127.0.0.1:${ports.mcp.PORT}/mcp`,
  // The receiver of the check is on this machine.
  WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  // Nothing listens there. The services load the code for traces, which must be in the images.
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
});

/** The settings of compose.yaml, with the `.env` that deploy/README.md describes. */
export const composeSettings = (place: Place): Settings => {
  const { services } = parse(read('compose.yaml'), { merge: true });
  const values = {
    ...parseEnv(read('.env.example')),
    ...addressesOf(place),
    ENCRYPTION_KEYS: place.encryptionKeys,
    MONGODB_PASSWORD: 'unused',
    MONGODB_SERVICES_PASSWORD: 'unused',
    MONGODB_AUTHORIZATION_PASSWORD: 'unused',
    MONGODB_SCHEDULE_PASSWORD: 'unused',
    REDIS_PASSWORD: 'unused',
    PROXY_SECRET: place.proxySecret,
    OAUTH_KEYS: place.oauthKeys,
    INTROSPECTION_SECRET: place.introspectionSecret,
  };
  return perService((service) => {
    const environment = Object.entries(services[service].environment as Record<string, unknown>);
    const given = environment.map(([name, value]) => [name, interpolated(String(value), values)]);
    return here(service, withoutEmpty(Object.fromEntries(given)), place);
  });
};

const FOLDER = 'deploy/kubernetes';
type Reference = { name: string; key?: string; optional?: boolean };
/** The parts of a container that set its environment. */
type Container = {
  env?: {
    name: string;
    value?: string;
    valueFrom?: { configMapKeyRef?: Reference; secretKeyRef?: Reference };
  }[];
  envFrom?: { configMapRef?: Reference; secretRef?: Reference }[];
};
type Pod = { containers?: Container[] };
type Manifest = { kind: string; data?: Record<string, string>; spec?: Pod & { template?: { spec: Pod } } };

/** The settings of the Kubernetes manifests, with the secrets that their README.md describes. */
export const manifestSettings = (place: Place): Settings => {
  const documents = (file: string): Manifest[] =>
    parseAllDocuments(read(`${FOLDER}/${file}`)).map((document) => document.toJS());
  const configuration = documents('configuration.yaml').find(({ kind }) => kind === 'ConfigMap')?.data;
  const sources: Record<string, Record<string, string>> = {
    'ConfigMap chairside': { ...configuration, ...addressesOf(place) },
    'Secret chairside': {
      MONGODB_URL: place.mongodbUrl,
      REDIS_URL: place.redisUrl,
      ENCRYPTION_KEYS: place.encryptionKeys,
      PROXY_SECRET: place.proxySecret,
    },
    'Secret authorization': {
      MONGODB_URL: place.mongodbUrl,
      OAUTH_KEYS: place.oauthKeys,
      INTROSPECTION_SECRET: place.introspectionSecret,
    },
    'Secret mcp': { MONGODB_URL: place.mongodbUrl },
  };
  const sourceOf = (kind: string, { name, key = '', optional = false }: Reference): string => {
    const value = sources[`${kind} ${name}`]?.[key];
    if (value === undefined && !optional) throw new Error(`${kind} ${name} has no ${key}`);
    return value ?? '';
  };
  return perService((service) => {
    const manifest = documents(`${service}.yaml`).find(({ kind }) => kind === 'Deployment' || kind === 'Pod');
    const pod = manifest?.spec?.template?.spec ?? manifest?.spec;
    const { env = [], envFrom = [] } = pod?.containers?.[0] ?? {};
    const whole = envFrom.map(({ configMapRef, secretRef }) => ({
      ...(configMapRef && sources[`ConfigMap ${configMapRef.name}`]),
      ...(secretRef && sources[`Secret ${secretRef.name}`]),
    }));
    const single = env.map(({ name, value = '', valueFrom: { configMapKeyRef, secretKeyRef } = {} }) => {
      if (configMapKeyRef) return [name, sourceOf('ConfigMap', configMapKeyRef)];
      return [name, secretKeyRef ? sourceOf('Secret', secretKeyRef) : value];
    });
    return here(service, withoutEmpty(Object.assign({}, ...whole, Object.fromEntries(single))), place);
  });
};
