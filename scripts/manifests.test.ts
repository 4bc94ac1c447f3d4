import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, matchesGlob } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parseAllDocuments, parseDocument } from 'yaml';
import { readConfig as readAdminConfig } from '../apps/admin/src/config.ts';
import { configSchema as api } from '../apps/api/src/config.ts';
import { PAGES } from '../apps/api/src/reference/pages.ts';
import { configSchema as dashboard } from '../apps/dashboard/server/src/config.ts';
import { configSchema as mcp } from '../apps/mcp/src/config.ts';
import { configSchema as dispatcher } from '../apps/webhook-dispatcher/src/config.ts';
import { SERVICE_ENVIRONMENT, SERVICE_FLAGS } from '../packages/processes/src/program.ts';
import { MINIMUM_NODE_VERSION } from '../packages/startup/src/node-version.ts';
import { composeSettings, manifestSettings, type Place } from '../release/settings.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const { catalog } = parseDocument(read('pnpm-workspace.yaml')).toJS();
const FOLDER = 'deploy/kubernetes';
const files = readdirSync(new URL(`../${FOLDER}`, import.meta.url)).filter((name) => name.endsWith('.yaml'));

const documentsIn = (file: string): any[] =>
  parseAllDocuments(read(`${FOLDER}/${file}`)).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS();
  });
const all = files.filter((file) => file !== 'prometheus-adapter.yaml').flatMap(documentsIn);
const podsOf = (each: any): any[] =>
  [each.spec?.template?.spec, each.kind === 'Pod' && each.spec].filter(Boolean);
const ofKind = (kind: string): any[] => all.filter((each) => each.kind === kind);

/** The longest shutdown of a service, in seconds. */
const drainOf = (app: string): number => {
  const isDispatcher = app === 'webhook-dispatcher';
  const source = read(isDispatcher ? `apps/${app}/src/main.ts` : 'packages/http-server/src/run-server.ts');
  const timeouts = [...source.matchAll(/(?:DRAIN|STOP)_TIMEOUT_MS = ([\d_]+);/g)].map(([, digits = '']) =>
    Number(digits.replace('_', '')),
  );
  expect(timeouts.length, `the timeouts of ${app}`).toBeGreaterThan(0);
  return Math.max(...timeouts) / 1000;
};

/** The stage of the Dockerfile that builds the image of this program. */
const stageOf = (app: string): string =>
  new RegExp(`^FROM runtime AS ${app}\\n([^]*?)(?=^FROM )`, 'm').exec(read('Dockerfile'))?.[1] ?? '';
const compose = (): any => {
  const document = parseDocument(read('compose.yaml'), { merge: true });
  expect([...document.errors, ...document.warnings]).toEqual([]);
  return document.toJS();
};

test('each document has a kind and a name, and kustomize names existing files', () => {
  for (const each of all)
    expect(each).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
  expect(files).toEqual(expect.arrayContaining(ofKind('Kustomization')[0].resources));
  expect(documentsIn('prometheus-adapter.yaml')).toHaveLength(1);
});

test.each(['api', 'webhook-dispatcher', 'dashboard', 'mcp'])(
  '%s: probes, ports and shutdown time match the service',
  (app) => {
    const { spec } = ofKind('Deployment').find(({ metadata }) => metadata.name === app);
    const pod = spec.template.spec;
    const [container] = pod.containers;
    const ports = container.ports.map(({ containerPort }: { containerPort: number }) => containerPort);
    const inImage = [...stageOf(app).matchAll(/_?PORT=(\d+)/g)].map(([, port]) => Number(port));
    expect(inImage).toEqual(expect.arrayContaining(ports));
    const names = container.ports.map(({ name }: { name: string }) => name);
    for (const [probe, path] of [
      ['livenessProbe', '/health/live'],
      ['readinessProbe', '/health/ready'],
    ] as const) {
      expect(container[probe].httpGet.path).toBe(path);
      expect(names).toContain(container[probe].httpGet.port);
    }
    expect(container.livenessProbe.httpGet.port).not.toBe('http');
    const left = Number(container.lifecycle?.preStop.exec.command[1] ?? 0);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(left + drainOf(app));
    const grace = new RegExp(`  ${app}:[^]*?stop_grace_period: (\\d+)s`).exec(read('compose.yaml'))?.[1];
    expect(Number(grace)).toBeGreaterThan(drainOf(app));

    const labels = spec.template.metadata.labels;
    expect(labels).toMatchObject(spec.selector.matchLabels);
    for (const kind of ['Service', 'PodDisruptionBudget', 'HorizontalPodAutoscaler', 'NetworkPolicy']) {
      const { spec: of } = ofKind(kind).find(({ metadata }) => metadata.name === app);
      if (kind === 'HorizontalPodAutoscaler') expect(of.scaleTargetRef.name).toBe(app);
      else expect(labels).toMatchObject((of.selector ?? of.podSelector).matchLabels ?? of.selector);
    }
  },
);

/** The value at a JSON pointer (RFC 6901). */
const at = (value: any, pointer: string): unknown =>
  pointer
    .split('/')
    .slice(1)
    .reduce((inside, key) => inside?.[key], value);

test.each(globSync('deploy/overlays/*/kustomization.yaml', { cwd: join(import.meta.dirname, '..') }))(
  '%s names existing files, and its patches replace what exists',
  (file) => {
    const { resources, components = [], patches } = parseDocument(read(file)).toJS();
    for (const each of [...resources, ...components])
      expect(() => read(join(dirname(file), each, 'kustomization.yaml'))).not.toThrow();
    for (const { target, patch } of patches) {
      const patched = ofKind(target.kind).find(({ metadata }) => metadata.name === target.name);
      for (const { op, path } of parseDocument(patch).toJS()) {
        expect(op).toBe('replace');
        expect({ ...target, path, found: at(patched, path) !== undefined }).toEqual({
          ...target,
          path,
          found: true,
        });
      }
    }
  },
);

test('every service has a PodMonitor for its port of metrics', () => {
  const monitors = parseAllDocuments(read('deploy/components/monitoring/podmonitors.yaml')).map((each) =>
    each.toJS(),
  );
  const deployments = ofKind('Deployment');
  expect(monitors.map(({ metadata }) => metadata.name).toSorted()).toEqual(
    deployments.map(({ metadata }) => metadata.name).toSorted(),
  );
  for (const { metadata, spec } of monitors) {
    const { template } = deployments.find((each) => each.metadata.name === metadata.name).spec;
    expect(template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const [{ port }] = spec.podMetricsEndpoints;
    const { containerPort } = template.spec.containers[0].ports.find(({ name }: any) => name === port);
    expect(String(containerPort)).toBe(template.metadata.annotations['prometheus.io/port']);
  }
});

test('names only settings and metrics that exist', () => {
  const settings = Object.keys({ ...api.shape, ...dispatcher.shape, ...dashboard.shape });
  expect(settings).toEqual(expect.arrayContaining(Object.keys(ofKind('ConfigMap')[0].data)));
  const named = files.flatMap((file) => read(`${FOLDER}/${file}`).match(/\bchairside_[a-z_]+/g) ?? []);
  expect(named.length).toBeGreaterThan(1);
  const metrics = read('apps/webhook-dispatcher/src/monitoring/metrics.ts');
  for (const name of named) expect(metrics).toContain(`'${name}'`);
});

test('no network policy opens a port to every address, except the ports of webhooks', () => {
  for (const { metadata, spec } of ofKind('NetworkPolicy')) {
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      const peers = rule.to ?? rule.from ?? [];
      expect({ policy: metadata.name, isNamed: peers.length > 0 }).toEqual({
        policy: metadata.name,
        isNamed: true,
      });
      const isOpen = peers.some(({ ipBlock }: any) => ipBlock?.cidr === '0.0.0.0/0');
      if (isOpen) expect(['webhook-dispatcher', 'client-documents']).toContain(metadata.name);
    }
  }
});

test('api and dispatcher can reach MongoDB on its default port and on the ports of Atlas', () => {
  const { spec } = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'stores');
  const isOpen = (port: number): boolean =>
    spec.egress.some(
      ({ to, ports }: any) =>
        JSON.stringify(to).includes('"mongodb"') &&
        ports.some((range: any) => range.port <= port && port <= (range.endPort ?? range.port)),
    );
  expect([27014, 27015, 27016, 27017, 27018].filter(isOpen)).toEqual([27015, 27016, 27017]);
});

test('pins actions by commit, and images by an exact version', () => {
  const configured = globSync('.github/{workflows/*,actions/*/*}', { cwd: join(import.meta.dirname, '..') });
  const uses = configured.flatMap((file) =>
    [...read(file).matchAll(/uses: (.+)/g)].map(([, used = '']) => used),
  );
  // The actions of this repository are named by path, not by commit. `configured` contains their files.
  const actions = uses.filter((used) => !used.startsWith('./.github/actions/'));
  expect(actions.length).toBeGreaterThan(5);
  for (const used of actions) expect(used).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const images = [
    ...[...read('Dockerfile').matchAll(/^ARG NODE_IMAGE=(\S+)/gm)],
    ...[...read('compose.yaml').matchAll(/image: (\S+)/g)],
  ].map(([, image]) => image);
  expect(images).toHaveLength(3);
  for (const image of images) expect(image).toMatch(/:\d+\.\d+\.\d+-\w+@sha256:[0-9a-f]{64}$/);
  // Every stage is made from the pinned image, or from another stage.
  const stages = [...read('Dockerfile').matchAll(/^FROM \W*(\w+)/gm)].map(([, from]) => from);
  expect(new Set(stages)).toEqual(new Set(['NODE_IMAGE', 'runtime', 'APP']));
});

describe('Dockerfile', () => {
  it('builds with the Node.js of the tests and the pnpm of the workspace', () => {
    const { packageManager } = JSON.parse(read('package.json'));
    const versions = [...read('Dockerfile').matchAll(/^ARG NODE_IMAGE=node:([\d.]+)/gm)].map(
      ([, version]) => version,
    );
    expect(versions).toEqual([catalog.node]);
    expect(new Set(read('Dockerfile').match(/pnpm@[\d.]+/g))).toEqual(new Set([packageManager]));
  });

  it('fetches the packages before it copies the sources', () => {
    const [before = '', after] = read('Dockerfile').split('\nCOPY . .\n');
    expect(after).toBeDefined();
    expect(before).toContain('RUN $PNPM fetch');
    for (const needed of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'patches']) {
      expect(before).toMatch(new RegExp(`^COPY .*${needed}`, 'm'));
    }
  });

  it.each([
    ['api', 'PORT'],
    ['webhook-dispatcher', 'HEALTH_PORT'],
    ['dashboard', 'PORT'],
    ['mcp', 'PORT'],
  ])('checks the health of %s on %s, which the stage sets', (app, port) => {
    expect(stageOf(app)).toMatch(
      new RegExp(`HEALTHCHECK [^]*127\\.0\\.0\\.1:\\$\\{process\\.env\\.${port}\\}/health/ready`),
    );
    expect(stageOf(app)).toMatch(new RegExp(`\\b${port}=\\d+`));
  });

  it('starts chairside-admin, the bin of the package, in the image of admin', () => {
    const { bin } = JSON.parse(read('apps/admin/package.json'));
    expect(bin).toEqual({ 'chairside-admin': './dist/main.js' });
    expect(stageOf('admin')).toContain('ln -s /service/dist/main.js /usr/local/bin/chairside-admin');
    expect(stageOf('admin')).toContain('ENTRYPOINT ["chairside-admin"]');
  });
});

const place: Place = {
  mongodbUrl: 'mongodb://127.0.0.1:27017/chairside',
  redisUrl: 'redis://127.0.0.1:6379',
  encryptionKeys: `1:${Buffer.alloc(32, 1).toString('base64')}`,
  proxySecret: 'a'.repeat(48),
  oauthKeys: `1:${Buffer.alloc(32, 2).toString('base64')}`,
  introspectionSecret: 'b'.repeat(48),
  ports: {
    api: { PORT: 3000, METRICS_PORT: 3003 },
    'webhook-dispatcher': { HEALTH_PORT: 3001 },
    dashboard: { PORT: 3004, METRICS_PORT: 3005, INTROSPECTION_PORT: 3006 },
    mcp: { PORT: 3007, METRICS_PORT: 3008 },
  },
};
test.each([
  ['compose.yaml', composeSettings(place)],
  ['the manifests', manifestSettings(place)],
])('every service accepts the settings of %s', (_file, settings) => {
  api.parse(settings.api);
  dispatcher.parse(settings['webhook-dispatcher']);
  dashboard.parse(settings.dashboard);
  mcp.parse(settings.mcp);
  readAdminConfig(settings.admin);
});

test('keeps files with secrets out of the images and the repository', () => {
  for (const file of ['.gitignore', '.dockerignore']) expect(read(file).split('\n')).toContain('.env');
});

describe('compose.yaml', () => {
  it('requires a password for MongoDB and Redis, and contains none', () => {
    const { services } = compose();
    for (const [name, value] of Object.entries<string>(services.mongodb.environment))
      if (name.endsWith('PASSWORD')) expect(value).toMatch(/^\$\{MONGODB_[A-Z_]*PASSWORD(:\?[^}]+)?\}$/);
    expect(services.redis.command.join(' ')).toContain('--requirepass "$$REDIS_PASSWORD"');
    const users = ['SERVICES', 'AUTHORIZATION', 'SCHEDULE'].map((user) => `MONGODB_${user}_PASSWORD`);
    for (const name of [...users, 'MONGODB_PASSWORD', 'REDIS_PASSWORD', 'ENCRYPTION_KEYS', 'PROXY_SECRET'])
      expect(read('compose.yaml')).toMatch(new RegExp(`\\$\\{${name}:\\?`));
  });

  it('gives each service a user of its own', () => {
    const { services } = compose();
    const script = read('deploy/compose/mongodb.js');
    const created = [...script.matchAll(/user: '(\w+)'/g)].map(([, user]) => user);
    const used = ['api', 'webhook-dispatcher', 'admin', 'dashboard', 'mcp'].map((name) => {
      const [, user] = /^mongodb:\/\/(\w+):/.exec(services[name].environment.MONGODB_URL) ?? [];
      return user;
    });
    expect(used).toEqual(['services', 'services', 'services', 'authorization', 'schedule']);
    expect(new Set(created)).toEqual(new Set(used));
    for (const name of Object.keys(services.mongodb.environment)) expect(script).toContain(name);
  });

  it.each([
    ['api', api.shape],
    ['webhook-dispatcher', dispatcher.shape],
    ['dashboard', dashboard.shape],
    ['mcp', mcp.shape],
  ])('%s gets every setting that it reads, from compose.yaml or from its image', (app, shape) => {
    const set = [
      ...Object.keys(compose().services[app].environment),
      ...[...stageOf(app).matchAll(/\b((?:[A-Z]+_)?HOST)=0\.0\.0\.0/g)].map(([, name]) => name),
    ];
    expect(set).toEqual(expect.arrayContaining(Object.keys(shape)));
  });

  it('publishes ports on the loopback address unless PUBLISH_ADDRESS is set', () => {
    const services = Object.values<any>(compose().services);
    const ports = services.flatMap(({ ports = [] }) => ports);
    expect(ports).toHaveLength(7);
    for (const port of ports) expect(port).toMatch(/^(\$\{PUBLISH_ADDRESS:-127\.0\.0\.1\}|127\.0\.0\.1):/);
  });

  it('gives each process time to start before its health counts', () => {
    const { services } = compose();
    for (const store of ['mongodb', 'redis'])
      expect(services[store].healthcheck.start_period).toMatch(/^\d+s$/);
    for (const app of ['api', 'webhook-dispatcher', 'dashboard', 'mcp'])
      expect(stageOf(app)).toMatch(/--start-period=\d+s/);
  });

  it('contains chairside-admin, which `docker compose up` does not start', () => {
    const { admin } = compose().services;
    expect(admin).toMatchObject({ profiles: ['admin'], build: { args: { APP: 'admin' } } });
    expect(Object.keys(admin.environment)).toEqual(
      expect.arrayContaining(['MONGODB_URL', 'ENCRYPTION_KEYS', 'REDIS_URL', 'AUDIT_RETENTION_DAYS']),
    );
  });

  it('reads exactly the variables of .env.example', () => {
    const used = [...read('compose.yaml').matchAll(/(?<!\$)\$\{([A-Z_]+)/g)].map(([, name = '']) => name);
    const named = [...read('.env.example').matchAll(/^#?([A-Z_]+)=/gm)].map(([, name = '']) => name);
    expect([...new Set(used)].toSorted()).toEqual(named.toSorted());
  });

  it('.env.example has the defaults of the services', () => {
    const shape: Record<string, any> = { ...api.shape, ...dispatcher.shape };
    for (const [, name = '', value] of read('.env.example').matchAll(/^#([A-Z_]+)=(.+)$/gm)) {
      if (name in shape)
        expect({ name, value }).toEqual({ name, value: String(shape[name].parse(undefined)) });
    }
  });
});

describe('the manifests', () => {
  it('leave the number of pods to the autoscalers', () => {
    for (const { spec } of ofKind('Deployment')) expect(spec).not.toHaveProperty('replicas');
  });

  it('need no ConfigMap if they are created before or without `apply -k`', () => {
    const kustomized = ofKind('Kustomization')[0].resources.flatMap(documentsIn);
    const kinds = kustomized.map(({ kind }: any) => kind);
    expect(kinds).toContain('ConfigMap');
    for (const each of [...ofKind('Job'), ...ofKind('Pod')]) {
      expect(kinds).not.toContain(each.kind);
      const sources = podsOf(each).flatMap(({ containers }) => containers.flatMap((one: any) => one.envFrom));
      for (const { configMapRef } of sources.filter((source: any) => source.configMapRef))
        expect(configMapRef.optional).toBe(true);
    }
  });

  it('label the pods of chairside-admin so that the network policies let them through', () => {
    const pods = [...ofKind('Job').map(({ spec }) => spec.template), ...ofKind('Pod')];
    expect(pods).toHaveLength(2);
    for (const { metadata } of pods) expect(metadata.labels['app.kubernetes.io/part-of']).toBe('chairside');
    for (const name of ['names', 'stores']) {
      const { spec } = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === name);
      expect(spec.podSelector.matchLabels).toEqual({ 'app.kubernetes.io/part-of': 'chairside' });
    }
  });

  it('give the dashboard a way to MongoDB only, every setting, and no secrets but its own', () => {
    const { spec } = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'stores');
    expect(spec.podSelector.matchExpressions).toEqual([
      { key: 'app.kubernetes.io/name', operator: 'NotIn', values: ['dashboard'] },
    ]);
    const own = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'dashboard');
    expect(JSON.stringify(own.spec.egress)).not.toContain('redis');
    const deployment = ofKind('Deployment').find(({ metadata }) => metadata.name === 'dashboard');
    const [{ env, envFrom }] = deployment.spec.template.spec.containers;
    expect(envFrom).toBeUndefined();
    const names = env.map(({ name }: any) => name).filter((name: string) => name !== 'NODE_OPTIONS');
    const isAddress = (name: string): boolean => /(^|_)(HOST|PORT)$/.test(name);
    const settable = Object.keys(dashboard.shape).filter((name) => !isAddress(name));
    expect(names.toSorted()).toEqual(settable.toSorted());
    const optional = env.flatMap(({ name, valueFrom }: any) =>
      valueFrom?.configMapKeyRef?.optional === true && valueFrom.configMapKeyRef.key === name ? [name] : [],
    );
    expect(optional).toEqual([
      'MCP_URL',
      'OAUTH_REDIRECT_SCHEMES',
      'OAUTH_CLIENT_HOSTS',
      'AUDIT_RETENTION_DAYS',
    ]);
    const secrets = env.flatMap(({ valueFrom }: any) => {
      const { name, key } = valueFrom?.secretKeyRef ?? {};
      return key === undefined ? [] : [`${name}/${key}`];
    });
    expect(secrets).toEqual([
      'chairside/PROXY_SECRET',
      'authorization/MONGODB_URL',
      'authorization/OAUTH_KEYS',
      'authorization/INTROSPECTION_SECRET',
    ]);
  });

  it('let only the connector introspect tokens', () => {
    const { spec } = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'dashboard');
    const open = spec.ingress.filter(({ ports }: any) => ports.some(({ port }: any) => port === 3006));
    expect(open).toEqual([
      {
        from: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'mcp' } } }],
        ports: [{ port: 3006 }],
      },
    ]);
    expect(compose().services.dashboard.ports.join(' ')).not.toContain('3006');
  });

  it('give the connector a way to introspection, and no secrets but its own', () => {
    const policy = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'mcp');
    expect(policy.spec.egress).toEqual([
      {
        to: [{ podSelector: { matchLabels: { 'app.kubernetes.io/name': 'dashboard' } } }],
        ports: [{ port: 3006 }],
      },
    ]);
    const deployment = ofKind('Deployment').find(({ metadata }) => metadata.name === 'mcp');
    const [{ env, envFrom }] = deployment.spec.template.spec.containers;
    expect(envFrom).toBeUndefined();
    const names = env.map(({ name }: any) => name).filter((name: string) => name !== 'NODE_OPTIONS');
    expect(Object.keys(mcp.shape)).toEqual(expect.arrayContaining(names));
    const url = env.find(({ name }: any) => name === 'INTROSPECTION_URL').value;
    expect(mcp.shape.INTROSPECTION_URL.safeParse(url).success).toBe(true);
    const secrets = env.flatMap(({ valueFrom }: any) => {
      const { name, key } = valueFrom?.secretKeyRef ?? {};
      return key === undefined ? [] : [`${name}/${key}`];
    });
    expect(secrets).toEqual(['authorization/INTROSPECTION_SECRET', 'mcp/MONGODB_URL', 'chairside/REDIS_URL']);
  });

  it('open both ports of an OpenTelemetry collector', () => {
    const { spec } = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'stores');
    const { ports } = spec.egress.find(({ to }: any) => JSON.stringify(to).includes('monitoring'));
    expect(ports).toEqual([{ port: 4317 }, { port: 4318 }]);
  });

  it('satisfy the Pod Security Standard that the namespace enforces', () => {
    const pods = all.flatMap(podsOf);
    expect(pods).toHaveLength(6);
    for (const { securityContext, containers } of pods) {
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      for (const container of containers) {
        expect(container.securityContext).toMatchObject({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        });
      }
    }
  });

  it('limit the heap to the measured size, below the memory limit', () => {
    const results = read('bench/limits/results.md');
    const highest = Math.max(
      ...[...results.matchAll(/^\| .+? \| (\d+) \| (\d+) \|/gm)].flatMap(([, ...figures]) =>
        figures.map(Number),
      ),
    );
    for (const { spec } of ofKind('Deployment')) {
      const [{ env, resources }] = spec.template.spec.containers;
      const { value } = env.find(({ name }: any) => name === 'NODE_OPTIONS');
      expect(results).toContain(value);
      const [, heap] = /--max-old-space-size=(\d+)/.exec(value) ?? [];
      const limit = Number.parseInt(resources.limits.memory, 10);
      expect(resources.limits.memory).toBe(`${limit}Mi`);
      expect(limit).toBeGreaterThan(Math.max(highest, Number(heap)));
    }
  });
});

test.each(['api', 'webhook-dispatcher', 'dashboard/server', 'mcp'])(
  'the image and the start script of apps/%s set the same options as other processes',
  (folder) => {
    const flags = SERVICE_FLAGS.join(' ');
    expect(read('Dockerfile')).toContain(`\nENV NODE_OPTIONS="${flags}"\n`);
    expect(JSON.parse(read(`apps/${folder}/package.json`)).scripts.start).toBe(`node ${flags} dist/main.js`);
    for (const [name, value] of Object.entries(SERVICE_ENVIRONMENT))
      expect(read('Dockerfile')).toContain(`\nENV ${name}=${value}\n`);
  },
);

describe.each([['api'], ['webhook-dispatcher'], ['dashboard'], ['mcp']])('the systemd unit of %s', (app) => {
  const lines = read(`deploy/systemd/chairside-${app}.service`).split('\n');
  const valuesOf = (key: string): string[] =>
    lines.filter((line) => line.startsWith(`${key}=`)).map((line) => line.slice(key.length + 1));

  it('gives the service time to drain', () => {
    expect(Number(valuesOf('TimeoutStopSec')[0])).toBeGreaterThan(drainOf(app));
  });

  it('sets the same Node.js options as the image and the manifest', () => {
    const { spec } = ofKind('Deployment').find(({ metadata }) => metadata.name === app);
    const [{ env, resources }] = spec.template.spec.containers;
    const [, threads] = /^ENV (UV_THREADPOOL_SIZE=\d+)$/m.exec(read('Dockerfile')) ?? [];
    expect(valuesOf('Environment')).toEqual(
      expect.arrayContaining([
        'NODE_ENV=production',
        threads,
        ...Object.entries(SERVICE_ENVIRONMENT).map(([name, value]) => `${name}=${value}`),
        `"NODE_OPTIONS=${env[0].value}"`,
      ]),
    );
    expect(`${valuesOf('MemoryMax')[0]}i`).toBe(resources.limits.memory);
  });

  it('allows the machine code of V8, and has the other protections', () => {
    expect(valuesOf('MemoryDenyWriteExecute')).toEqual([]);
    for (const key of ['NoNewPrivileges', 'PrivateDevices', 'ProtectHome', 'RestrictNamespaces'])
      expect(valuesOf(key)).toEqual(['yes']);
    expect(valuesOf('ProtectSystem')).toEqual(['strict']);
    expect(valuesOf('CapabilityBoundingSet')).toEqual(['']);
  });
});

test('chairside.env.example names settings of the services', () => {
  const names = [...read('deploy/systemd/chairside.env.example').matchAll(/^([A-Z_]+)='/gm)].map(
    ([, name]) => name,
  );
  expect(names.length).toBeGreaterThan(3);
  expect(Object.keys({ ...api.shape, ...dispatcher.shape })).toEqual(expect.arrayContaining(names));
});

test('mcp.env.example is a valid configuration of the connector', () => {
  const lines = [...read('deploy/systemd/mcp.env.example').matchAll(/^([A-Z_]+)='(.*)'$/gm)];
  const environment = Object.fromEntries(lines.map(([, name = '', value = '']) => [name, value]));
  const secrets = { INTROSPECTION_SECRET: 'x'.repeat(32), REDIS_URL: 'redis://redis.example.com' };
  expect(Object.keys(environment)).toEqual(expect.arrayContaining(Object.keys(secrets)));
  expect(mcp.safeParse({ ...environment, ...secrets }).error?.issues).toBeUndefined();
});

test('the memory under attack is what the benchmark measured', () => {
  const rows = [...read('bench/limits/results.md').matchAll(/^\| [^|]+ \| (\d+) \| (\d+) \|/gm)];
  const [atRest = [], ...attacks] = rows.map(([, ofApi, ofDispatcher]) => [
    Number(ofApi),
    Number(ofDispatcher),
  ]);
  expect(attacks.length).toBeGreaterThan(5);
  const [api, dispatcher] = [0, 1].map((column) => Math.max(...attacks.map((row) => row[column] ?? 0)));
  const measured = (rest?: number, most?: number) =>
    new RegExp(`${rest} MiB [^.]* attack, ${most} MiB at most`);
  expect(read('deploy/kubernetes/api.yaml')).toMatch(measured(atRest[0], api));
  expect(read('deploy/kubernetes/webhook-dispatcher.yaml')).toMatch(measured(atRest[1], dispatcher));
  const text = read('docs/operation/install.md').replaceAll('\n', ' ');
  expect(text).toContain(
    `memory of the api to ${api} MiB and the memory of the dispatcher to ${dispatcher} MiB`,
  );
  for (const file of ['docs/operation/repair.md', 'deploy/prometheus/alerts.yaml'])
    expect(read(file)).toContain(`At most ${api} MiB were measured`);
});

test('docs/running.md names the versions of package.json and the lockfile', () => {
  const page = read('docs/running.md');
  const { packageManager } = JSON.parse(read('package.json'));
  expect(new Set(page.match(/pnpm@[\d.]+/g))).toEqual(new Set([packageManager]));
  expect(page).toContain(`${MINIMUM_NODE_VERSION} or later; the tests run on ${catalog.node}`);
});

/** Whether .dockerignore leaves a file out of the build. The last pattern that matches it, or a folder of it, decides. */
const isLeftOut = (file: string): boolean => {
  const places = [file];
  for (let folder = dirname(file); folder !== '.'; folder = dirname(folder)) places.push(folder);
  let isOut = false;
  for (const line of read('.dockerignore').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const pattern = line.replace(/^!/, '');
    if (places.some((place) => matchesGlob(place, pattern))) isOut = !line.startsWith('!');
  }
  return isOut;
};

test('the build of the images has every page that the api serves', () => {
  for (const file of Object.values(PAGES)) expect([file, isLeftOut(file)]).toEqual([file, false]);
  for (const file of ['.env', 'README.md', 'docs/architecture.md', 'apps/api/node_modules/x/index.js'])
    expect([file, isLeftOut(file)]).toEqual([file, true]);
});
