import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { debianRelease } from '../debian-release.ts';

export type AptSource = { uris: string[]; suites: string[]; components: string[] };

/** Returns the archive from which this Debian host installs packages; undefined on other systems. */
export async function debianMirror(root = '/'): Promise<string | undefined> {
  const release = await debianRelease(root);
  if (release === undefined) return undefined;
  const codename = /^VERSION_CODENAME=["']?([\w-]+)/m.exec(release)?.[1];
  const own = ['stable', 'testing', 'unstable', 'sid', ...(codename === undefined ? [] : [codename])];
  return mirrorAmong(await aptSources(join(root, 'etc/apt')), own);
}

/**
 * Returns the URL of the first archive that has one of these suites with the component `main`. Third-party archives use
 * other names.
 */
export function mirrorAmong(sources: readonly AptSource[], suites: readonly string[]): string | undefined {
  for (const source of sources) {
    if (!source.components.includes('main') || !source.suites.some((suite) => suites.includes(suite)))
      continue;
    const uri = source.uris.find((candidate) => /^https?:\/\//.test(candidate));
    if (uri !== undefined) return uri;
  }
  return undefined;
}

async function aptSources(directory: string): Promise<AptSource[]> {
  const parts = join(directory, 'sources.list.d');
  const names = await readdir(parts).catch(() => []);
  const sources: AptSource[] = [];
  for (const path of [join(directory, 'sources.list'), ...names.sort().map((name) => join(parts, name))]) {
    const text = await readFile(path, 'utf8').catch(() => '');
    sources.push(...(path.endsWith('.sources') ? parseDeb822(text) : parseList(text)));
  }
  return sources;
}

/** Parses one source per line: `deb [options] uri suite component…`. */
export function parseList(text: string): AptSource[] {
  const sources: AptSource[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*deb\s+(?:\[[^\]]*\]\s+)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    const [, uri, suite, components] = match ?? [];
    if (uri !== undefined && suite !== undefined) {
      sources.push({ uris: [uri], suites: [suite], components: words(components) });
    }
  }
  return sources;
}

/** Parses paragraphs of fields. Lines that begin with a space continue a field, and `#` begins a comment line. */
export function parseDeb822(text: string): AptSource[] {
  const withoutComments = text.replace(/^#.*\n?/gm, '');
  return withoutComments.split(/\n\s*\n/).flatMap((paragraph) => {
    const unfolded = paragraph.replace(/\n[ \t]+/g, ' ');
    const field = (name: string) => new RegExp(`^${name}:(.*)$`, 'im').exec(unfolded)?.[1]?.trim();
    if (!words(field('Types')).includes('deb') || field('Enabled')?.toLowerCase() === 'no') return [];
    return [
      { uris: words(field('URIs')), suites: words(field('Suites')), components: words(field('Components')) },
    ];
  });
}

function words(text: string | undefined): string[] {
  return text?.split(/\s+/).filter(Boolean) ?? [];
}
