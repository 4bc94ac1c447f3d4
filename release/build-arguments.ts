import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './builder.ts';
import { SERVICES } from './settings.ts';

/** The programs that have an image. */
export const APPS = [...SERVICES, 'admin'] as const;

const git = (...given: string[]): string =>
  execFileSync('git', given, { cwd: root, encoding: 'utf8' }).trim();

/** The version of the services in the repository. */
export const versionInRepository = (): string =>
  JSON.parse(readFileSync(join(root, 'apps/api/package.json'), 'utf8')).version;

/**
 * The arguments of the Dockerfile for the image of an app. `SOURCE_DATE_EPOCH` is the time of the commit, in seconds, so
 * that two builds of a commit have the same times.
 */
export const buildArgumentsOf = (app: string): Record<string, string> => ({
  APP: app,
  VERSION: versionInRepository(),
  REVISION: git('rev-parse', 'HEAD'),
  SOURCE_DATE_EPOCH: git('log', '-1', '--format=%ct'),
});
