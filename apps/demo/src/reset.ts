import { rm } from 'node:fs/promises';
import { createInterface } from 'node:readline/promises';
import { removeData } from '@chairside/local-services';
import { DemoProblem } from './problem.ts';

/**
 * Deletes the demo's data after a confirmation. A MongoDB or Redis that is configured by its URL is not changed.
 *
 * @param yes whether to skip the confirmation
 * @returns whether the data was deleted
 * @throws {DemoProblem} if there is no terminal for the confirmation
 */
export const reset = async (path: string, yes: boolean, print: (line: string) => void): Promise<boolean> => {
  if (!yes) {
    if (!process.stdin.isTTY) {
      throw new DemoProblem(
        'There is no terminal for the confirmation. To delete the demo data without it, run: npm run reset -- --yes',
      );
    }
    const terminal = createInterface({ input: process.stdin, output: process.stdout });
    const response = await terminal.question(
      `Delete everything in ${path}, including practices and keys? [y/N] `,
    );
    terminal.close();
    if (!/^y(es)?$/i.test(response.trim())) {
      print('Nothing was changed.');
      return false;
    }
  }
  await removeData({ dataDirectory: path });
  await rm(path, { recursive: true, force: true });
  print(`✓ ${path} is deleted. npm start creates it again.`);
  return true;
};
