import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** Returns the first of these programs on PATH. Earlier names take precedence over earlier directories. */
export async function findOnPath(
  names: readonly string[],
  environment: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const directories = (environment.PATH ?? '').split(delimiter).filter(Boolean);
  for (const name of names) {
    for (const directory of directories) {
      const path = join(directory, name);
      if (await isExecutable(path)) return path;
    }
  }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
