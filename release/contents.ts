import type { Builder } from './builder.ts';
import { outputOf } from './service.ts';

/** What the service folder of an image contains. */
export type Contents = {
  bytes: number;
  files: number;
  /** The SHA-256 of all paths and contents. Equal folders have equal digests, whatever their times are. */
  digest: string;
  /** Files that no service needs: sources, tests, source maps, and the state of package managers. */
  unneeded: string[];
};

/** Runs in the image, because the image has Node.js and perhaps no shell. */
const LIST = `
const { createHash } = require('node:crypto');
const { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync } = require('node:fs');
const { resolve } = require('node:path');
const hash = createHash('sha256');
const paths = readdirSync('.', { recursive: true, withFileTypes: true })
  // Node.js also lists the folders that links lead to.
  .filter((entry) => !entry.isDirectory() && realpathSync(entry.parentPath) === resolve(entry.parentPath))
  .map((entry) => ({ path: entry.parentPath + '/' + entry.name, isLink: entry.isSymbolicLink() }))
  .sort((one, other) => (one.path < other.path ? -1 : 1));
let bytes = 0;
for (const { path, isLink } of paths) {
  const content = isLink ? readlinkSync(path) : readFileSync(path);
  bytes += content.length;
  hash.update(path + '\\0').update(createHash('sha256').update(content).digest());
}
const UNNEEDED = /\\.(ts|mts|cts|tsx|map|tsbuildinfo)$|\\.(test|spec)\\.[cm]?js$|(^|\\/)(\\.turbo|\\.modules\\.yaml|pnpm-lock\\.yaml|__tests__)(\\/|$)/;
const unneeded = paths.map(({ path }) => path).filter((path) => UNNEEDED.test(path));
for (const path of ['/usr/local/lib/node_modules', '/usr/local/bin/npm', '/source']) if (existsSync(path)) unneeded.push(path);
console.log(JSON.stringify({ bytes, files: paths.length, digest: hash.digest('hex'), unneeded }));
`;

/** Lists what the folder of the service in an image contains. */
export const contentsOf = async (builder: Builder, image: string, user: number): Promise<Contents> =>
  JSON.parse(
    await outputOf(image, await builder.run({ image, command: ['node', '-e', LIST], environment: {}, user })),
  );
