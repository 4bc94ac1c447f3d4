// Checks that every public name has a docstring with an example, and that every example compiles.
import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Chairside } from '../src/index.ts';

const home = join(import.meta.dirname, '..');
const index = readFileSync(join(home, 'src/index.ts'), 'utf8');

interface Documented {
  name: string;
  doc: string;
}

const exampleOf = ({ doc }: Documented) =>
  /@example\n([\s\S]*?)(?:\n\s*\* @|\*\/)/
    .exec(doc)?.[1]
    ?.replace(/^\s*\* ?/gm, '')
    .trim() ?? '';

const DOC = /(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?/;
const sources = globSync('src/*.ts', { cwd: home })
  .filter((name) => !/(\.test|schema|index)\.ts$/.test(name))
  .map((name) => readFileSync(join(home, name), 'utf8'));

/** The exported interfaces, types and classes of the sources, with their docstrings. */
const symbols = sources.flatMap((text) => {
  const declared = text.matchAll(new RegExp(`${DOC.source}export (?:interface|type|class) (\\w+)`, 'g'));
  return [...declared].map(([, doc = '', name = '']): Documented => ({ name, doc }));
});
const isPublic = ({ name }: Documented) =>
  new RegExp(`\\b${name}\\b`).test(index) || new RegExp(`\\b${name}\\b`).test(records);
const records = [...readFileSync(join(home, 'src/records.ts'), 'utf8').matchAll(/export \w+ (\w+)/g)].join();
const published = symbols.filter(isPublic);

/** The members of classes and interfaces that have a docstring. */
const members = sources.flatMap((text) =>
  [...text.matchAll(/(\/\*\*(?:[^*]|\*(?!\/))*\*\/)\n {2}(?:static |async |get |\*)*(\w+)/g)].map(
    ([, doc = '', name = '']): Documented => ({ name, doc }),
  ),
);
const publicMembers = members.filter((member) => exampleOf(member) !== '');

/** The names of the methods of an object, including those of its parent classes. */
const methodsOf = (object: object): string[] => {
  const prototype = Object.getPrototypeOf(object);
  if (prototype === null || prototype === Object.prototype) return [];
  const own = Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');
  return [...own, ...methodsOf(prototype)];
};

describe('docstrings', () => {
  it('are found for every type, class and method', () => {
    expect(published.length).toBeGreaterThan(60);
    const client = new Chairside({ baseUrl: 'https://api.example.com', apiKey: 'k' });
    const objects = [
      client,
      ...Object.values(client),
      client.patients.list(),
      client.events.follow({ since: new Date() }),
    ];
    const methods = objects.filter((object) => typeof object === 'object').flatMap(methodsOf);
    expect(new Set(methods).size).toBeGreaterThan(20);
    const documented = publicMembers.map(({ name }) => name);
    expect(documented).toEqual(expect.arrayContaining(methods.filter((name) => name !== 'toJSON')));
    const names = published.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['Chairside', 'Patient', 'EventFollower', 'FollowOptions']));
  });

  it.each(published)('explain $name, with an example', (symbol) => {
    expect(symbol.doc).toMatch(/\/\*\*\n \* \S.{10,}/);
    expect(exampleOf(symbol)).not.toBe('');
  });

  it('have examples that compile', () => {
    const folder = mkdtempSync(join(home, 'node_modules/.examples-'));
    const types = published.filter(({ name }) => !['Chairside', 'ChairsideError'].includes(name));
    const files = [...published, ...publicMembers]
      .filter((symbol) => exampleOf(symbol) !== '')
      .map((symbol, number) => {
        const path = join(folder, `example-${number}.mts`);
        const used = [...types.map(({ name }) => `type ${name}`), 'Chairside', 'ChairsideError'];
        writeFileSync(
          path,
          `import { ${used.join(', ')} } from '@chairside/client';
import { writeFile } from 'node:fs/promises';
declare const [baseUrl, password]: string[];
declare const work: (event: ChairsideEvent) => Promise<void>;
declare const chairside: Chairside;
declare const follower: EventFollower;
async function example() {
${exampleOf(symbol)}
}
`,
        );
        return path;
      });
    const compilerOptions = { noUnusedLocals: false, noUncheckedIndexedAccess: false, noEmit: true };
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ extends: '../../../../tsconfig.base.json', compilerOptions, files }),
    );
    try {
      const tsc = join(home, '../../node_modules/typescript/bin/tsc');
      execFileSync(process.execPath, [tsc, '-p', folder], { stdio: 'pipe', encoding: 'utf8' });
    } catch (error) {
      expect.fail(String((error as { stdout: string }).stdout));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
