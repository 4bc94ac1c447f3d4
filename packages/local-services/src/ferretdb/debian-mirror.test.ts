import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { debianMirror, mirrorAmong, parseDeb822, parseList } from './debian-mirror.ts';

describe('parseList', () => {
  it('reads one source per line, with options, and leaves out comments and source packages', () => {
    const text = [
      '# deb http://old.example/debian bookworm main',
      'deb http://mirror.example/debian bookworm main contrib # trailing',
      'deb [arch=amd64 signed-by=/usr/share/keyrings/x.gpg] https://other.example/apt stable main',
      'deb-src http://mirror.example/debian bookworm main',
    ].join('\n');
    expect(parseList(text)).toEqual([
      { uris: ['http://mirror.example/debian'], suites: ['bookworm'], components: ['main', 'contrib'] },
      { uris: ['https://other.example/apt'], suites: ['stable'], components: ['main'] },
    ]);
  });
});

describe('parseDeb822', () => {
  it('reads paragraphs with comments, folded fields and several values', () => {
    const text = `Types: deb deb-src
# a comment within
URIs: http://one.example/debian
 http://two.example/debian
Suites: bookworm bookworm-updates
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg

# only a comment

Types: deb
URIs: http://off.example/debian
Suites: bookworm
Components: main
Enabled: no

Types: deb-src
URIs: http://sources.example/debian
Suites: bookworm
Components: main
`;
    expect(parseDeb822(text)).toEqual([
      {
        uris: ['http://one.example/debian', 'http://two.example/debian'],
        suites: ['bookworm', 'bookworm-updates'],
        components: ['main'],
      },
    ]);
  });
});

describe('mirrorAmong', () => {
  const source = (uri: string, suite: string, component = 'main') => ({
    uris: [uri],
    suites: [suite],
    components: [component],
  });

  it('selects the archive of the system itself, not that of another maker or of security updates', () => {
    const sources = [
      source('https://download.example/docker', 'bookworm', 'stable'),
      source('https://node.example/node', 'nodistro'),
      source('http://security.example/debian-security', 'bookworm-security'),
      source('http://mirror.example/debian', 'bookworm'),
    ];
    expect(mirrorAmong(sources, ['bookworm'])).toBe('http://mirror.example/debian');
  });

  it('ignores installation discs and mirror lists', () => {
    const sources = [
      source('cdrom:[Debian]/', 'bookworm'),
      source('mirror+file:/etc/apt/mirrors', 'bookworm'),
    ];
    expect(mirrorAmong(sources, ['bookworm'])).toBeUndefined();
  });
});

describe('debianMirror', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'mirror-'));
  });
  afterEach(() => rm(root, { recursive: true }));

  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  };
  const DEBIAN = 'ID=debian\nVERSION_CODENAME=bookworm\n';

  it('finds it in sources.list', async () => {
    await write('etc/os-release', DEBIAN);
    await write('etc/apt/sources.list', 'deb http://list.example/debian bookworm main\n');
    expect(await debianMirror(root)).toBe('http://list.example/debian');
  });

  it('finds it in the newer format', async () => {
    await write('etc/os-release', DEBIAN);
    const text = 'Types: deb\nURIs: http://deb822.example/debian\nSuites: bookworm\nComponents: main\n';
    await write('etc/apt/sources.list.d/debian.sources', text);
    expect(await debianMirror(root)).toBe('http://deb822.example/debian');
  });

  it('finds none on another system, whose archive is not that of Debian', async () => {
    await write('etc/os-release', 'ID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n');
    await write('etc/apt/sources.list', 'deb http://archive.example/ubuntu noble main\n');
    expect(await debianMirror(root)).toBeUndefined();
  });
});
