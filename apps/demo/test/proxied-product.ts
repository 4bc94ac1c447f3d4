import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { freePort } from '@chairside/processes';
import {
  apiAddress,
  type DebianPackage,
  LONGEST_WAIT_MS,
  type ServiceProcess,
  startApi,
  startProcess,
  startWholeService,
  testEngines,
  unpackDebianPackage,
  type WholeService,
} from '@chairside/test-support';
import { generate } from 'selfsigned';
import { vi } from 'vitest';

const HOSTS = ['api.example.com', 'dashboard.example.com', 'mcp.example.com'] as const;
type Host = (typeof HOSTS)[number];

/** The address of the callers of a test. The proxy and the services have 127.0.0.1. */
export const CALLER = '127.0.0.2';

type Sent = {
  headers?: Record<string, string>;
  body?: string;
  from?: string;
};
export type Response = { status: number; headers: IncomingHttpHeaders; text: string; json: any };

/** Two apis, a dashboard and a connector behind a proxy with its file of deploy/proxies. */
export type ProxiedProduct = {
  service: WholeService;
  /** Both apis. The first one is that of `service`. */
  apis: readonly [ServiceProcess, ServiceProcess];
  proxySecret: string;
  /** The origin of a host. */
  originOf(host: Host): string;
  send(host: Host, method: string, path: string, given?: Sent): Promise<Response>;
  /** Sends a GET. Resolves when its headers have arrived. */
  open(host: Host, path: string, headers?: Record<string, string>): Promise<IncomingMessage>;
  /** What a connection to the proxy needs. */
  connection: { host: string; port: number; ca: string };
  /** All that the proxy has logged. */
  logs(): Promise<string>;
  close(): Promise<void>;
};

/** Where the parts listen. Nothing listens at `nobody`: the second server has only an api. */
type Places = {
  tls: number;
  forDashboards: number;
  apis: readonly [number, number];
  dashboard: number;
  mcp: number;
  nobody: number;
};

/** Replaces a text that must be there. */
const replaced = (config: string, from: string | RegExp, to: string): string => {
  const made = typeof from === 'string' ? config.replaceAll(from, to) : config.replace(from, to);
  if (made === config) throw new Error(`The file has no ${from}`);
  return made;
};

/** Puts the places of a test into a file. */
const placed = (config: string, { forDashboards, apis, dashboard, mcp, nobody }: Places): string =>
  (
    [
      ['10.0.0.10:3000', forDashboards],
      ['10.0.0.11:3000', apis[0]],
      ['10.0.0.12:3000', apis[1]],
      ['10.0.0.11:3004', dashboard],
      ['10.0.0.12:3004', nobody],
      ['10.0.0.11:3007', mcp],
      ['10.0.0.12:3007', nobody],
    ] as const
  ).reduce((made, [from, port]) => replaced(made, from, `127.0.0.1:${port}`), config);

type RunningProxy = { package: DebianPackage; logs(): Promise<string>; stop(): Promise<void> };

const shipped = (name: string): Promise<string> =>
  readFile(new URL(`../../../deploy/proxies/${name}`, import.meta.url), 'utf8');

/** How a proxy is started with its file. The certificate is in the folder of its package. */
const PROXIES: Readonly<Record<string, (own: DebianPackage, places: Places) => Promise<RunningProxy>>> = {
  async nginx(own, places) {
    const { folder } = own;
    let config = placed(await shipped('nginx.conf'), places);
    config = replaced(config, 'user www-data;\n', '');
    config = replaced(config, '/var/log/nginx/', `${folder}/`);
    config = replaced(config, '/etc/ssl/chairside/', `${folder}/`);
    config = replaced(config, 'listen 443 ', `listen 127.0.0.1:${places.tls} `);
    config = replaced(config, /^ *listen \[::\]:443 .*\n/gm, '');
    // The folders of Debian do not exist here. Nothing is stored in these either.
    const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
      (name) => `${name}_temp_path ${folder}/${name};`,
    );
    config = replaced(config, 'http {\n', `http {\n${folders.join('\n')}\n`);
    await writeFile(join(folder, 'nginx.conf'), config);
    const settings = `daemon off; master_process off; pid ${folder}/pid;`;
    const args = ['-p', folder, '-c', 'nginx.conf', '-g', settings];
    const { output, stop } = await own.start('usr/sbin/nginx', args, places.tls);
    const logs = async () => {
      const read = ['access.log', 'error.log'].map((name) => readFile(join(folder, name), 'utf8'));
      return [output(), ...(await Promise.all(read))].join('\n');
    };
    return { package: own, stop, logs };
  },
  async Caddy(own, places) {
    const { folder } = own;
    let config = placed(await shipped('Caddyfile'), places);
    config = replaced(config, 'bind 10.0.0.10\n', 'bind 127.0.0.1\n');
    config = replaced(
      config,
      '\timport public\n',
      `\timport public\n\ttls ${folder}/fullchain.pem ${folder}/privkey.pem\n`,
    );
    config = replaced(
      config,
      /^\{\n/m,
      `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n\thttps_port ${places.tls}\n`,
    );
    await writeFile(join(folder, 'Caddyfile'), config);
    const args = ['run', '--config', 'Caddyfile', '--adapter', 'caddyfile'];
    const { output, stop } = await own.start('usr/bin/caddy', args, places.tls);
    return { package: own, stop, logs: async () => output() };
  },
};

const portOf = async (app: ServiceProcess): Promise<number> => Number(new URL(await apiAddress(app)).port);

const startProxy = async (name: string, places: Places, cert: string, key: string): Promise<RunningProxy> => {
  const own = await unpackDebianPackage(name.toLowerCase());
  await writeFile(join(own.folder, 'fullchain.pem'), cert);
  await writeFile(join(own.folder, 'privkey.pem'), key);
  const start = PROXIES[name];
  if (start === undefined) throw new Error(`There is no proxy ${name}`);
  return start(own, places);
};

/** @param name `nginx` or `Caddy` */
export const startProxiedProduct = async (name: string): Promise<ProxiedProduct> => {
  const [tls, forDashboards, introspection] = [await freePort(), await freePort(), await freePort()];
  const originOf = (host: Host): string => `https://${host}:${tls}`;
  const proxySecret = randomBytes(24).toString('hex');
  const TRUST_PROXY = '127.0.0.1';
  const environment = { TRUST_PROXY, PROXY_SECRET: proxySecret };
  const service = await startWholeService(testEngines().redisUrl, { dispatcher: false, environment });
  const stores = {
    MONGODB_URL: service.url,
    REDIS_URL: testEngines().redisUrl,
    REDIS_PREFIX: service.redisPrefix,
  };
  const other = startApi({ ...stores, ...environment, ENCRYPTION_KEYS: service.encryptionKeys });
  const connector = {
    MCP_URL: `${originOf('mcp.example.com')}/mcp`,
    INTROSPECTION_SECRET: randomBytes(24).toString('hex'),
  };
  const dashboard = startProcess('dashboard/server', {
    ...environment,
    ...connector,
    PORT: '0',
    METRICS_PORT: '0',
    PUBLIC_URL: originOf('dashboard.example.com'),
    API_URL: `http://127.0.0.1:${forDashboards}`,
    MONGODB_URL: service.url,
    OAUTH_KEYS: `test:${randomBytes(32).toString('base64')}`,
    INTROSPECTION_PORT: String(introspection),
  });
  const mcp = startProcess('mcp', {
    ...stores,
    ...connector,
    TRUST_PROXY,
    PORT: '0',
    METRICS_PORT: '0',
    AUTHORIZATION_SERVER_URL: originOf('dashboard.example.com'),
    INTROSPECTION_URL: `http://127.0.0.1:${introspection}/introspect`,
  });
  const places = {
    tls,
    forDashboards,
    nobody: await freePort(),
    apis: [await portOf(service.api), await portOf(other)] as const,
    dashboard: await portOf(dashboard),
    mcp: await portOf(mcp),
  };
  const { cert, private: key } = await generate([{ name: 'commonName', value: HOSTS[0] }], {
    extensions: [{ name: 'subjectAltName', altNames: HOSTS.map((value) => ({ type: 2, value })) }],
  });
  const proxy = await startProxy(name, places, cert, key);

  const connection = { host: '127.0.0.1', port: tls, ca: cert };
  const agent = new Agent({ keepAlive: true });
  const receive = async (
    host: Host,
    { method = 'GET', path, headers = {}, body, from = CALLER }: Sent & { method?: string; path: string },
  ): Promise<IncomingMessage> => {
    const sent = request({
      ...connection,
      servername: host,
      localAddress: from,
      agent,
      method,
      path,
      headers: {
        host: `${host}:${tls}`,
        ...(body !== undefined && {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        }),
        ...headers,
      },
    });
    // A connection may end after its response, while the rest of a refused body is sent.
    sent.on('error', () => {});
    sent.end(body);
    const [response] = await once(sent, 'response');
    return response;
  };
  const product: ProxiedProduct = {
    service,
    apis: [service.api, other],
    proxySecret,
    originOf,
    connection,
    logs: proxy.logs,
    async send(host, method, path, given = {}) {
      const response = await receive(host, { ...given, method, path });
      const read = await text(response);
      const isJson = /json/.test(response.headers['content-type'] ?? '');
      return {
        status: response.statusCode ?? 0,
        headers: response.headers,
        text: read,
        json: isJson && read !== '' ? JSON.parse(read) : undefined,
      };
    },
    open: (host, path, headers = {}) => receive(host, { path, headers }),
    async close() {
      agent.destroy();
      await proxy.stop();
      await Promise.all([other, dashboard, mcp].map((each) => each.end('SIGKILL')));
      await service.close();
      await proxy.package.remove();
    },
  };
  // A proxy with health checks may have found them not ready at first.
  for (const [host, path] of [
    ['dashboard.example.com', '/session'],
    ['mcp.example.com', '/.well-known/oauth-protected-resource'],
  ] as const)
    await vi.waitUntil(async () => (await product.send(host, 'GET', path)).status === 200, {
      timeout: LONGEST_WAIT_MS,
    });
  return product;
};
