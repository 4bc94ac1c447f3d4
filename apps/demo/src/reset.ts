import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { removeData } from '@chairside/local-services';
import { DemoProblem } from './problem.ts';

/**
 * Wipes the demo's data, after asking. A database or a Redis that was given by its address is not touched.
 *
 * @param yes do not ask
 * @returns whether it was done
 * @throws {DemoProblem} when there is nobody to ask
 */
export const reset = async (path: string, yes: boolean, print: (line: string) => void): Promise<boolean> => {
  if (!yes) {
    if (!process.stdin.isTTY) {
      throw new DemoProblem(
        'There is nobody to ask. To wipe the demo data without asking: npm run reset -- --yes',
      );
    }
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const answer = await terminal.question(`Wipe everything in ${path}, practices and keys included? [y/N] `);
    terminal.close();
    if (!/^y(es)?$/i.test(answer.trim())) {
      print('Nothing was changed.');
      return false;
    }
  }
  await removeData({ dataDirectory: path });
  await rm(path, { recursive: true, force: true });
  print(`✓ ${path} is wiped. npm start makes it anew.`);
  return true;
};
