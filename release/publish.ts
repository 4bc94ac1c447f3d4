/**
 * Releases the images, rehearses a whole release (`npm run release -- --dry-run`), and makes only the npm packages
 * (`npm run packages`).
 *
 * Without an option it publishes the images of the version in the repository: builds them for both platforms, pushes
 * them by digest, scans and signs them, and gives them the tag of the version last. The workflow `release` publishes the
 * npm packages.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { APPS, buildArgumentsOf } from './build-arguments.ts';
import { findBuilder, NO_BUILDER, root } from './builder.ts';

const PLATFORMS = 'linux/amd64,linux/arm64';
const REGISTRY = 'ghcr.io/chairside';
/** The packages for npm, by their folders. */
const PACKAGES = ['packages/signing', 'packages/client', 'apps/cli'] as const;
/** Where a rehearsal leaves its artefacts, and where the npm packages are made. */
const OUT = join(root, '.data/release');
const PACKAGES_OUT = join(root, '.data/packages');

const print = (line = ''): void => console.log(line);
const call = (program: string, ...given: string[]): string =>
  execFileSync(program, given, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
const pnpm = (...given: string[]): string => call('npm', 'exec', '--yes', '--', packageManager(), ...given);
const manifestOf = (folder: string): { name: string; version: string; packageManager: string } =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const packageManager = (): string => manifestOf('.').packageManager;

/** @throws {Error} if the services have several versions, or if CHANGELOG.md says nothing about this one */
const versionOfServices = (isDryRun: boolean): string => {
  const folders = ['apps/api', 'apps/webhook-dispatcher', 'apps/dashboard/server', 'apps/mcp', 'apps/admin'];
  const versions = new Set(folders.map((folder) => manifestOf(folder).version));
  const [version = ''] = versions;
  if (versions.size > 1) throw new Error(`The services have the versions ${[...versions].join(', ')}.`);
  // A rehearsal takes place before the versions are raised.
  const heading = isDryRun ? 'Unreleased' : version;
  if (!readFileSync(join(root, 'CHANGELOG.md'), 'utf8').includes(`\n## ${heading}\n`))
    throw new Error(`CHANGELOG.md has no section "${heading}".`);
  return version;
};

const isInstalled = (program: string): boolean => {
  try {
    call(program, 'version');
    return true;
  } catch {
    return false;
  }
};

/** Writes a CycloneDX list of everything that the image of an app contains from npm. */
const writeSbom = (app: string, file: string): void => {
  const { name } = manifestOf(app === 'dashboard' ? 'apps/dashboard/server' : `apps/${app}`);
  const kind = ['--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--prod'];
  pnpm('--filter', name, 'sbom', ...kind, '--out', file);
};

/** Makes the packages for npm in this folder. */
const pack = (out: string): void => {
  for (const folder of PACKAGES) pnpm('--filter', `./${folder}`, 'pack', '--pack-destination', out);
};

/** Makes only the packages for npm, to install them before they are published. */
const makePackages = (): void => {
  rmSync(PACKAGES_OUT, { recursive: true, force: true });
  mkdirSync(PACKAGES_OUT, { recursive: true });
  pack(PACKAGES_OUT);
  print('Install them in your own project, those that you need in one command:');
  for (const name of readdirSync(PACKAGES_OUT)) print(`  npm install ${join(PACKAGES_OUT, name)}`);
};

/** Makes all artefacts in `OUT`, and publishes none. */
const rehearse = async (): Promise<void> => {
  const builder = await findBuilder();
  if (builder === undefined) throw new Error(NO_BUILDER);
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  print('Versions that the changesets ask for:');
  const status = join(OUT, 'versions.json');
  pnpm('exec', 'changeset', 'status', '--output', status);
  const { releases } = JSON.parse(readFileSync(status, 'utf8'));
  for (const { name, oldVersion, newVersion } of releases)
    if (newVersion !== oldVersion) print(`  ${name} ${oldVersion} → ${newVersion}`);
  rmSync(status);

  pack(OUT);
  for (const app of APPS) {
    const tag = `chairside/${app}:release`;
    await builder.build(tag, buildArgumentsOf(app));
    await builder.archive(tag, join(OUT, `${app}.tar`));
    writeSbom(app, join(OUT, `${app}.cdx.json`));
  }
  await builder.close();

  print();
  print(`Artefacts in ${OUT.slice(root.length)}, of commit ${call('git', 'rev-parse', 'HEAD')}:`);
  const sums = readdirSync(OUT).map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(OUT, name)))
      .digest('hex');
    print(`  ${name.padEnd(32)} ${String(statSync(join(OUT, name)).size).padStart(11)} B  sha256:${digest}`);
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(OUT, 'SHA256SUMS'), sums.join(''));

  print();
  print('Not rehearsed:');
  print(
    `  images for other platforms than this one, made with ${builder.description} (the release: ${PLATFORMS})`,
  );
  if (!isInstalled('trivy')) print('  the scan: Trivy is not installed');
  else for (const app of APPS) call('trivy', 'image', ...SCAN, '--input', join(OUT, `${app}.tar`));
  print('  pushing, provenance and signatures, which need the identity of the workflow');
};

/** The scan fails on a vulnerability that is critical or high and has a fix. */
const SCAN = ['--severity', 'HIGH,CRITICAL', '--ignore-unfixed', '--exit-code', '1', '--quiet'];

/** Publishes the images of this version. An image with the tag of this version is not published again. */
const publish = (version: string): void => {
  for (const program of ['docker', 'cosign', 'trivy'])
    if (!isInstalled(program)) throw new Error(`Install ${program}, or rehearse with --dry-run.`);
  if (call('git', 'status', '--porcelain') !== '') throw new Error('There are changes without a commit.');
  for (const app of APPS) {
    const repository = `${REGISTRY}/${app}`;
    try {
      call('docker', 'buildx', 'imagetools', 'inspect', `${repository}:${version}`);
      print(`${repository}:${version} exists`);
      continue;
    } catch {
      // There is no such image yet.
    }
    const metadata = join(root, '.data', `${app}.json`);
    mkdirSync(join(root, '.data'), { recursive: true });
    const given = Object.entries(buildArgumentsOf(app)).flatMap(([name, value]) => [
      '--build-arg',
      `${name}=${value}`,
    ]);
    const output = `type=image,name=${repository},push-by-digest=true,name-canonical=true,push=true,rewrite-timestamp=true`;
    const attestations = ['--provenance=mode=max', '--sbom=true'];
    call(
      'docker',
      'buildx',
      'build',
      '--platform',
      PLATFORMS,
      ...given,
      ...attestations,
      '--output',
      output,
      '--metadata-file',
      metadata,
      '.',
    );
    const image = `${repository}@${JSON.parse(readFileSync(metadata, 'utf8'))['containerimage.digest']}`;
    for (const platform of PLATFORMS.split(','))
      call('trivy', 'image', ...SCAN, '--platform', platform, image);
    call('cosign', 'sign', '--yes', '--recursive', image);
    // An image gets its tag when it has been scanned and signed, so nobody can run an earlier one by its version.
    call('docker', 'buildx', 'imagetools', 'create', '--tag', `${repository}:${version}`, image);
    print(`${repository}:${version} is ${image}`);
  }
};

const isSet = { type: 'boolean', default: false } as const;
const { values } = parseArgs({ options: { 'dry-run': isSet, packages: isSet } });
if (values.packages) makePackages();
else {
  const version = versionOfServices(values['dry-run']);
  if (values['dry-run']) await rehearse();
  else publish(version);
}
