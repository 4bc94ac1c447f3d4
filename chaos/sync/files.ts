import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the run tells the systems that sync, in a file that each reads again and again. */
export type Control = { addresses: Readonly<Record<string, string>>; isEnding: boolean };

/** @throws if the file does not exist */
export const readFileOf = <T>(folder: string, name: string): T =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as T;

/** A reader, or a kill, finds the file as it was before or as it is afterwards. */
export const replaceFileOf = (folder: string, name: string, content: object): void => {
  const path = join(folder, `${name}.json`);
  writeFileSync(`${path}.next`, JSON.stringify(content));
  renameSync(`${path}.next`, path);
};
