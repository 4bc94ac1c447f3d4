/**
 * Renders the Kubernetes manifests and every overlay with `kubectl kustomize`, and validates the result against the
 * schemas of Kubernetes: `npm run check:manifests`. It needs kubectl and Python, and no cluster.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { root } from './builder.ts';

/** The package of PyPI that contains the schemas, and the versions of Kubernetes to validate against. */
const VALIDATOR = 'kubernetes-validate==1.37.0';
const KUBERNETES = ['1.29', '1.37'];
const FOLDER = join(root, '.data/kubernetes-validate');

const call = (program: string, given: readonly string[]): string =>
  execFileSync(program, given, {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
    stdio: ['ignore', 'pipe', 'pipe'],
  });

for (const [program, flag] of [
  ['kubectl', 'version --client'],
  ['python3', '--version'],
] as const) {
  try {
    call(program, flag.split(' '));
  } catch {
    console.error(`The manifests cannot be rendered here: install ${program}.`);
    process.exit(2);
  }
}
if (!existsSync(FOLDER)) call('python3', ['-m', 'pip', 'install', '--quiet', '--target', FOLDER, VALIDATOR]);

/** The kinds of resources that the Prometheus operator defines have no schema in Kubernetes. */
const OWN_KINDS = ['PodMonitor'];

const overlays = readdirSync(join(root, 'deploy/overlays')).map((name) => `deploy/overlays/${name}`);
for (const place of ['deploy/kubernetes', ...overlays]) {
  const rendered = parseAllDocuments(call('kubectl', ['kustomize', place]));
  const known = rendered.filter((document) => !OWN_KINDS.includes(String(document.get('kind'))));
  const file = join(root, '.data', `${place.replaceAll('/', '-')}.yaml`);
  mkdirSync(join(root, '.data'), { recursive: true });
  writeFileSync(file, known.map(String).join('---\n'));
  for (const version of KUBERNETES) {
    const given = ['-m', 'kubernetes_validate', '--kubernetes-version', version, '--strict', '--quiet', file];
    const { status, stdout } = spawnSync('python3', given, {
      env: { ...process.env, PYTHONPATH: FOLDER },
      encoding: 'utf8',
    });
    if (status === 0) continue;
    console.error(`${place} is not valid in Kubernetes ${version}:\n${stdout}`);
    process.exit(1);
  }
  console.log(`${place}: ${rendered.length} resources are valid in Kubernetes ${KUBERNETES.join(' and ')}`);
}
