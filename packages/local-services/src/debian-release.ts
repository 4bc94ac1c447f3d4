import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Returns `/etc/os-release` of this Debian host; undefined on other systems. */
export async function debianRelease(root = '/'): Promise<string | undefined> {
  const release = await readFile(join(root, 'etc/os-release'), 'utf8').catch(() => '');
  return /^ID=["']?debian["']?$/m.test(release) ? release : undefined;
}
