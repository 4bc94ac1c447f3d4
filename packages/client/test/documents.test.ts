import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { embedFiles } from '@chairside/publishing';
import { describe, expect, it } from 'vitest';
import { Chairside } from '../src/index.ts';

const home = join(import.meta.dirname, '..');
const document = 'README.md';
const readme = readFileSync(join(home, document), 'utf8');

describe('the README', () => {
  it('shows every example, as the tests run it', () => {
    const { text, files } = embedFiles({ home, document });
    expect(readme, 'run `pnpm --filter @chairside/client run docs`').toBe(text);
    expect(files.sort()).toEqual(readdirSync(join(home, 'examples')).map((name) => `examples/${name}`));
  });

  it('lists every group of the client with every method', () => {
    const described = [...readme.matchAll(/^\| (`[\w`, ]+`) \| (`(?:list|get)`.*) \|$/gm)].flatMap(
      ([, groups = '', methods = '']) =>
        [...groups.matchAll(/\w+/g)].map(([group]) => [
          group,
          [...methods.matchAll(/\w+/g)].map(([name]) => name).sort(),
        ]),
    );
    const methodsOf = (group: object): string[] => {
      const prototype = Object.getPrototypeOf(group);
      if (prototype === Object.prototype) return [];
      const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
      return [...new Set([...own, ...methodsOf(prototype)])];
    };
    const client = new Chairside({ baseUrl: 'https://api.example.com', apiKey: 'k' });
    const groups = Object.entries(client).filter(([, value]) => typeof value === 'object');
    expect(groups).toHaveLength(19);
    expect(Object.fromEntries(described)).toEqual(
      Object.fromEntries(groups.map(([name, group]) => [name, methodsOf(group).sort()])),
    );
  });

  it('explains every error name that the API does not define', () => {
    const union =
      /export type ErrorName =([\s\S]*?);/.exec(readFileSync(join(home, 'src/errors.ts'), 'utf8'))?.[1] ?? '';
    const names = [...union.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, name]) => name);
    const explained = [...readme.matchAll(/^\| `([A-Z]\w+)` \| .{20,} \|$/gm)].map(([, name]) => name);
    expect(names).toHaveLength(5);
    expect(explained.sort()).toEqual(names.sort());
  });
});
