// Checks that every public name has a docstring with an example, and that every example compiles with the published
// package.
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Consumer, createConsumer } from '@chairside/publishing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const home = join(import.meta.dirname, '..');
const workspace = join(home, '../..');

interface Documented {
  file: string;
  name: string;
  doc: string;
}

/** The public names: everything that the two entries export or re-export. */
function publicSymbols(): Documented[] {
  const passedOn = readFileSync(join(home, 'src/both-entries.ts'), 'utf8');
  return globSync('src/*.ts', { cwd: home, exclude: (name) => name.endsWith('.test.ts') }).flatMap((file) => {
    const text = readFileSync(join(home, file), 'utf8');
    const declared = [
      ...text.matchAll(
        /(\/\*\*(?:[^*]|\*(?!\/))*\*\/\n)?export (?:async )?(?:interface|type|class|function) (\w+)/g,
      ),
    ];
    const isEntry = ['index.ts', 'web.ts'].includes(basename(file));
    const isWhole = passedOn.includes(`export type * from './${basename(file)}'`);
    return declared
      .map(([, doc = '', name = '']) => ({ file, name, doc }))
      .filter(({ name }) => isEntry || isWhole || new RegExp(`\\b${name}\\b`).test(passedOn));
  });
}

const symbols = publicSymbols();
const exampleOf = ({ doc }: Documented) =>
  /@example\n([\s\S]*?)\*\//
    .exec(doc)?.[1]
    ?.replace(/^ \* ?/gm, '')
    .trim() ?? '';

describe('docstrings', () => {
  let consumer: Consumer;
  beforeAll(() => {
    consumer = createConsumer(home);
  });
  afterAll(() => consumer.remove());

  it('are found for every function and type', () => {
    expect(symbols.length).toBeGreaterThan(40);
    expect(symbols.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['verify', 'SignatureError', 'Patient']),
    );
  });

  it.each(symbols)('explain $name of $file, with an example', (symbol) => {
    expect(symbol.doc).toMatch(/\/\*\*\n \* \S.{10,}/);
    expect(exampleOf(symbol)).not.toBe('');
  });

  it('have examples that compile, and so has the README', () => {
    const files = symbols.map((symbol, index) => {
      const web = symbol.file.endsWith('web.ts');
      const path = join(consumer.folder, `example-${index}.mts`);
      const names = new Set(
        symbols.filter(({ file }) => web || !file.endsWith('web.ts')).map(({ name }) => name),
      );
      writeFileSync(
        path,
        `import { ${[...names].map((name) => (/^[A-Z]/.test(name) && name !== 'SignatureError' ? `type ${name}` : name)).join(', ')} } from '@chairside/signing${web ? '/web' : ''}';
declare const [body, rawBody]: Uint8Array[], header: string, secret: string, request: Request, env: Record<string, string>;
declare const event: WebhookEvent, timestamp: number;
async function example() {
${exampleOf(symbol)}
}
example;
`,
      );
      return path;
    });
    const [, readme = ''] =
      /## Test your receiver\n+```ts\n([\s\S]*?)```/.exec(readFileSync(join(home, 'README.md'), 'utf8')) ??
      [];
    expect(readme).toContain('sign(');
    files.push(join(consumer.folder, 'readme.mts'));
    writeFileSync(join(consumer.folder, 'readme.mts'), readme);
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2022', lib: ['es2022'], strict: true, noEmit: true },
      ...{ types: ['node'], typeRoots: [join(workspace, 'node_modules/@types')] },
    };
    writeFileSync(join(consumer.folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
    try {
      consumer.run(process.execPath, join(workspace, 'node_modules/typescript/bin/tsc'), '-p', '.');
    } catch (error) {
      expect.fail(String((error as { stdout: string }).stdout));
    }
  });
});
