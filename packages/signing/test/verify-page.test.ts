import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { document, vectors } from './vectors.ts';

// Runs the Python of docs/verify.md against the published vectors: as a whole, and after each of its steps.

const home = join(import.meta.dirname, '..');
const page = readFileSync(join(home, 'docs/verify.md'), 'utf8');
const vectorsFile = createRequire(import.meta.url).resolve('@chairside/signing/vectors.json');

/** The sections of the page with a code, by their headings. */
const sections = page
  .split(/^## /m)
  .slice(1)
  .map((text) => ({
    heading: text.slice(0, text.indexOf('\n')),
    code: [...text.matchAll(/```python\n([\s\S]*?)```/g)].map(([, code]) => code).join('\n'),
  }));
const program = sections.map(({ code }) => code).join('\n\n');

/** The codes of each step, from the table at the beginning of the page. */
const codesOfSteps = [...page.matchAll(/^\| \[\d\. [^|]*\| ([^|]*)\|/gm)].map(([, cell = '']) =>
  [...cell.matchAll(/`(\w+)`/g)].map(([, code = '']) => code),
);

const python = (...lines: string[]): any => {
  const input = [program, 'import sys', ...lines].join('\n');
  const output = execFileSync('python3', ['-', vectorsFile], {
    input,
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return JSON.parse(output);
};

/** Takes only the first steps, and returns the result of each case. */
const RUN_STEPS = `
def take(case, steps):
    keys, tolerance, now = read_settings(case["secret"], case["tolerance"], case["now"])
    if steps < 2:
        return
    body = raw_body(case)
    if steps < 3:
        return
    t, signatures = read_header(case["header"])
    if steps < 4:
        return
    check_signature(keys, t, signatures, body)
    if steps < 5:
        return
    check_time(t, tolerance, now)
    if steps < 6 or case["operation"] == "verify":
        return
    read_event(body)


def result(case, steps):
    try:
        take(case, steps)
        return "accept"
    except Refused as refusal:
        return str(refusal)


document = json.load(open(sys.argv[1]))
print(json.dumps([[result(case, steps) for case in document["cases"]] for steps in range(1, 7)]))
`;

describe('docs/verify.md', () => {
  it('names the codes of all cases, each in one step', () => {
    const codes = new Set(vectors.map(({ expect: verdict }) => verdict));
    expect(codesOfSteps).toHaveLength(6);
    expect(codesOfSteps.flat().sort()).toEqual([...codes].filter((code) => code !== 'accept').sort());
  });

  it('describes the fields of the vectors', () => {
    const described = [...page.matchAll(/^\| `(\w+)` \| /gm)].map(([, name]) => name);
    expect(described).toEqual(Object.keys(document.fields));
  });

  it('is about the file that the package publishes', () => {
    const { exports: entries, files } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
    expect(entries['./vectors.json']).toBe('./vectors.json');
    expect(files).toEqual(expect.arrayContaining(['vectors.json', 'docs']));
    expect(vectorsFile).toBe(join(home, 'vectors.json'));
  });

  if (spawnSync('python3', ['--version']).status !== 0) {
    // A missing language must not fail the test, but the output must show that the page was not tested.
    it('DID NOT RUN, because this machine has no python3', () => {
      console.warn('The steps of docs/verify.md did not run, because this machine has no python3.');
      expect(spawnSync('python3', ['--version']).status).not.toBe(0);
    });
    return;
  }

  it('has steps that judge every case as expected', () => {
    expect(python('print(json.dumps(judge(json.load(open(sys.argv[1])))))')).toEqual([]);
  });

  it('refuses after each step the cases of this step and of those before it, and no other', () => {
    const results: string[][] = python(RUN_STEPS);
    for (const [index, codes] of codesOfSteps.entries()) {
      const known = codesOfSteps.slice(0, index).flat().concat(codes);
      const expected = vectors.map(({ name, expect: verdict }) => [
        name,
        known.includes(verdict) ? verdict : 'accept',
      ]);
      expect(results[index]?.map((result, row) => [vectors[row]?.name, result])).toEqual(expected);
    }
  });

  it('has a judge that finds a wrong step', () => {
    const wrong = python(
      'def check_time(t, tolerance, now):\n    return int(t)',
      'print(json.dumps(judge(json.load(open(sys.argv[1])))))',
    );
    const late = vectors.filter(({ expect: verdict }) => verdict === 'too_old' || verdict === 'too_new');
    expect(wrong).toEqual(late.map(({ name }) => name));
  });
});
