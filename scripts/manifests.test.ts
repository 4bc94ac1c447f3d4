import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { configSchema as api } from '../apps/api/src/config.ts';
import { configSchema as dispatcher } from '../apps/webhook-dispatcher/src/config.ts';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const FOLDER = 'deploy/kubernetes';
const files = readdirSync(new URL(`../${FOLDER}`, import.meta.url)).filter((name) => name.endsWith('.yaml'));

const documentsIn = (file: string): any[] =>
  parseAllDocuments(read(`${FOLDER}/${file}`)).map((document) => {
    expect([...document.errors, ...document.warnings]).toEqual([]);
    return document.toJS();
  });
const all = files.filter((file) => file !== 'prometheus-adapter.yaml').flatMap(documentsIn);
const ofKind = (kind: string): any[] => all.filter((each) => each.kind === kind);

/** Seconds that a service takes to end in good order. */
const drainOf = (app: string): number =>
  Number(/DRAIN_TIMEOUT = ([\d_]+);/.exec(read(`apps/${app}/src/main.ts`))?.[1]?.replace('_', '')) / 1000;

test('each document says what it is; kustomize names files that are there', () => {
  for (const each of all)
    expect(each).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
  expect(files).toEqual(expect.arrayContaining(ofKind('Kustomization')[0].resources));
  expect(documentsIn('prometheus-adapter.yaml')).toHaveLength(1);
});

test.each(['api', 'webhook-dispatcher'])(
  '%s: probes, ports and time to end are those of the service',
  (app) => {
    const { spec } = ofKind('Deployment').find(({ metadata }) => metadata.name === app);
    const pod = spec.template.spec;
    const [container] = pod.containers;
    const ports = container.ports.map(({ containerPort }: { containerPort: number }) => containerPort);
    const inImage = [...read('Dockerfile').matchAll(/_?PORT=(\d+)/g)].map(([, port]) => Number(port));
    expect(inImage).toEqual(expect.arrayContaining(ports));
    const names = container.ports.map(({ name }: { name: string }) => name);
    for (const [probe, path] of [
      ['livenessProbe', '/health/live'],
      ['readinessProbe', '/health/ready'],
    ] as const) {
      expect(container[probe].httpGet.path).toBe(path);
      expect(names).toContain(container[probe].httpGet.port);
    }
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

test('settings and metrics that are named exist', () => {
  const settings = Object.keys({ ...api.shape, ...dispatcher.shape });
  expect(settings).toEqual(expect.arrayContaining(Object.keys(ofKind('ConfigMap')[0].data)));
  const named = files.flatMap((file) => read(`${FOLDER}/${file}`).match(/\bchairside_[a-z_]+/g) ?? []);
  expect(named.length).toBeGreaterThan(1);
  const metrics = read('apps/webhook-dispatcher/src/metrics.ts');
  for (const name of named) expect(metrics).toContain(`'${name}'`);
});

test('no rule of a network policy opens a port to every address, but those of webhooks', () => {
  for (const { metadata, spec } of ofKind('NetworkPolicy')) {
    for (const rule of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
      const peers = rule.to ?? rule.from ?? [];
      expect({ policy: metadata.name, isNamed: peers.length > 0 }).toEqual({
        policy: metadata.name,
        isNamed: true,
      });
      const isOpen = peers.some(({ ipBlock }: any) => ipBlock?.cidr === '0.0.0.0/0');
      if (isOpen) expect(metadata.name).toBe('webhook-dispatcher');
    }
  }
});

test('api and dispatcher reach MongoDB on its default port and on those of Atlas', () => {
  const { spec } = ofKind('NetworkPolicy').find(({ metadata }) => metadata.name === 'stores');
  const isOpen = (port: number): boolean =>
    spec.egress.some(
      ({ to, ports }: any) =>
        JSON.stringify(to).includes('"mongodb"') &&
        ports.some((range: any) => range.port <= port && port <= (range.endPort ?? range.port)),
    );
  expect([27014, 27015, 27016, 27017, 27018].filter(isOpen)).toEqual([27015, 27016, 27017]);
});

test('actions are pinned by commit, images by an exact version', () => {
  const workflows = readdirSync(new URL('../.github/workflows', import.meta.url)).map((name) =>
    read(`.github/workflows/${name}`),
  );
  const actions = workflows.flatMap((text) => [...text.matchAll(/uses: (.+)/g)].map(([, uses = '']) => uses));
  expect(actions.length).toBeGreaterThan(5);
  for (const uses of actions) expect(uses).toMatch(/@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  const images = [
    ...[...read('Dockerfile').matchAll(/^FROM (\S+)/gm)],
    ...[...read('compose.yaml').matchAll(/image: (\S+)/g)],
  ].map(([, image]) => image);
  expect(images).toHaveLength(4);
  for (const image of images) expect(image).toMatch(/:\d+\.\d+\.\d+-\w+$/);
});

test('compose gives both stores a password, and none of its own', () => {
  const { services } = parseAllDocuments(read('compose.yaml'))[0]?.toJS({ merge: true }) ?? {};
  expect(services.mongodb.environment.MONGO_INITDB_ROOT_PASSWORD).toMatch(/^\$\{MONGODB_PASSWORD\}$/);
  expect(services.redis.command.join(' ')).toContain('--requirepass "$$REDIS_PASSWORD"');
  for (const name of ['MONGODB_PASSWORD', 'REDIS_PASSWORD', 'ENCRYPTION_KEYS'])
    expect(read('compose.yaml')).toMatch(new RegExp(`\\$\\{${name}:\\?`));
});
