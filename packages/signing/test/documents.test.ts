import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { embedFiles } from '@chairside/publishing';
import { describe, expect, it, vi } from 'vitest';
import { receive } from '../recipes/first.ts';
import { sign, verify } from '../src/index.ts';
import { SECRET } from './entries.ts';

const home = join(import.meta.dirname, '..');
/** The number of files that each document shows. */
const shownIn: Record<string, number> = { 'README.md': 9, 'docs/scheme.md': 1, 'docs/receivers.md': 7 };
const DOCUMENTS = Object.keys(shownIn);
const read = (path: string) => readFileSync(join(home, path), 'utf8');

describe.each(DOCUMENTS)('%s', (document) => {
  it('shows the files that the tests run', () => {
    const { text, files } = embedFiles({ home, document });
    expect(files.length).toBe(shownIn[document]);
    expect(read(document), 'run `pnpm --filter @chairside/signing run docs`').toBe(text);
  });

  it('links only to existing files', () => {
    const links = [...read(document).matchAll(/\]\((?!https?:)([^)#]+)\)/g)].map(
      (match) => match[1] as string,
    );
    for (const link of links) expect(() => readFileSync(join(home, document, '..', link))).not.toThrow();
  });
});

/** The README of the repository shows one recipe of this package. */
const front = { home: join(home, '../..'), document: 'README.md' };

it('the README of the repository shows the recipe that the tests run', () => {
  const { text, files } = embedFiles(front);
  expect(files).toEqual(['packages/signing/recipes/quick-start.ts']);
  expect(
    readFileSync(join(front.home, front.document), 'utf8'),
    'run `pnpm --filter @chairside/signing run docs`',
  ).toBe(text);
});

describe('the documents together', () => {
  it('show every recipe, every receiver and the shell script', () => {
    const shown = DOCUMENTS.flatMap((document) => embedFiles({ home, document }).files);
    shown.push(...embedFiles(front).files.map((path) => relative('packages/signing', path)));
    const list = (folder: string) => readdirSync(join(home, folder)).map((name) => `${folder}/${name}`);
    expect(shown.sort()).toEqual([...list('recipes'), ...list('docs/receivers'), 'docs/chairside.sh'].sort());
  });

  it('explain every code of SignatureError', () => {
    const codes = [...read('src/signature-error.ts').matchAll(/^ {2}\| '(\w+)'/gm)].map((match) => match[1]);
    const explained = [...read('README.md').matchAll(/^\| `(\w+)` +\| .{20,} \|$/gm)].map(
      (match) => match[1],
    );
    expect(codes.length).toBeGreaterThan(9);
    expect(explained.sort()).toEqual(codes.sort());
  });

  it('have a working first example', () => {
    vi.stubEnv('CHAIRSIDE_WEBHOOK_SECRET', SECRET);
    const log = vi.spyOn(console, 'log').mockReturnValue();
    const event = { id: 'evt_1', event: 'patient.created', timestamp: 1, data: { name: 'Zoë' } };
    const body = Buffer.from(JSON.stringify(event));
    const timestamp = Math.floor(Date.now() / 1000);
    receive(body, { 'x-service-signature': sign({ body, secret: SECRET, timestamp }) });
    expect(log).toHaveBeenCalledWith('Zoë');
    expect(() => receive(body, {})).toThrow('X-Service-Signature');
    vi.unstubAllEnvs();
    log.mockRestore();
  });

  it('have a correct worked example', () => {
    const cells = new Map(
      [...read('docs/scheme.md').matchAll(/^\| (\w[\w ]*?) +\| `(.*)` +\|$/gm)].map(([, a, b]) => [a, b]),
    );
    const [secret, body, header] = ['secret', 'body', 'header'].map((name) => cells.get(name) as string);
    expect(verify({ body: body as string, header, secret, now: 1_700_000_000 })).toEqual({
      timestamp: 1_700_000_000,
    });
    expect(cells.get('signed text')).toBe(`1700000000.${body}`);
  });
});
