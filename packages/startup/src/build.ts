import { readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VERSION } from './version.ts';

/** What tells builds apart, also those of one version. */
export type Build = {
  version: string;
  /** The commit of the sources. It ends in `-modified` if they differed from the commit. */
  commit: string;
  /** When the program was built, in ISO 8601. A release has the time of its commit, so that its builds are the same. */
  builtTime: string;
};

/** What a program that runs from its sources shows instead of a commit and a time. */
const SOURCE = 'source';

/**
 * Returns the build of the program in a folder. `scripts/build-info.ts` writes `build.json` beside a program after it was
 * built.
 */
export const buildIn = (folder: string): Build => {
  let text: string;
  try {
    text = readFileSync(join(folder, 'build.json'), 'utf8');
  } catch {
    return { version: VERSION, commit: SOURCE, builtTime: SOURCE };
  }
  const { commit, builtTime } = JSON.parse(text) as Build;
  return { version: VERSION, commit, builtTime };
};

/** The folder of the program that this process runs. A link to the program, such as chairside-admin, is followed. */
const programFolder = (): string => {
  const [, program = ''] = process.argv;
  try {
    return dirname(realpathSync(program));
  } catch {
    return '';
  }
};

/** The build of this process. */
export const BUILD: Build = buildIn(programFolder());
