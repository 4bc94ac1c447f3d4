/**
 * Prints how large the project is, without generated files (.gitattributes): lines of source, tests and documents, and the
 * numbers of what it has many of. Usage: node scripts/size.ts [<commit> ...], by default HEAD~1 and HEAD.
 */
import { execFileSync } from 'node:child_process';

const git = (...given: string[]): string =>
  execFileSync('git', given, { encoding: 'utf8', maxBuffer: 2 ** 28 });

const generated = new Set(git('ls-files', ':(attr:linguist-generated)').split('\n').filter(Boolean));
const isDocument = (file: string): boolean => file.endsWith('.md');
const isTest = (file: string): boolean =>
  /\.test(-d)?\.tsx?$|\/test\/|^packages\/test-support\/|^chaos\//.test(file);
const isCode = (file: string): boolean => /\.(ts|tsx|mts|mjs|js|css|sh)$/.test(file);
const isBench = (file: string): boolean => /^(bench|release)\//.test(file);

const KINDS: Readonly<Record<string, (file: string) => boolean>> = {
  source: (file) => isCode(file) && !isTest(file) && !isBench(file),
  tests: (file) => isCode(file) && isTest(file),
  'benches and release': (file) => isCode(file) && isBench(file) && !isTest(file),
  documents: isDocument,
};

/** The lines of each file of a commit. */
const linesIn = (commit: string): Map<string, number> =>
  new Map(
    git('grep', '--count', '-I', '-e', '', commit)
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const end = line.lastIndexOf(':');
        return [line.slice(commit.length + 1, end), Number(line.slice(end + 1))] as const;
      })
      .filter(([file]) => !generated.has(file)),
  );

/** The number of matches of a pattern in some files of a commit. */
const matches = (commit: string, pattern: string, ...paths: string[]): number => {
  try {
    return git('grep', '-hoE', pattern, commit, '--', ...paths)
      .split('\n')
      .filter(Boolean).length;
  } catch {
    return 0;
  }
};

const measure = (commit: string): Record<string, number> => {
  const lines = [...linesIn(commit)];
  const store = 'packages/mongodb/src';
  return {
    ...Object.fromEntries(
      Object.entries(KINDS).map(([kind, belongs]) => [
        `lines: ${kind}`,
        lines.reduce((sum, [file, count]) => sum + (belongs(file) ? count : 0), 0),
      ]),
    ),
    files: lines.length,
    packages: lines.filter(([file]) => /(^|\/)package\.json$/.test(file) && !file.includes('/consumer/'))
      .length,
    collections: matches(commit, '^  [a-zA-Z]+: database\\.collection', `${store}/stores/collections.ts`),
    indexes: matches(commit, "name: '", `${store}/preparation/indexes.ts`),
    settings: matches(commit, '^\\| `[A-Z_]+`', 'docs/configuration.md'),
    metrics: matches(commit, "name: '[a-z]+(_[a-z]+)+'", '*metrics*.ts'),
    'jobs of CI': matches(commit, '^    runs-on:', '.github/workflows'),
  };
};

const given = process.argv.slice(2);
const commits = given.length > 0 ? given : ['HEAD~1', 'HEAD'];
const columns = commits.map(measure);
const cells = (name: string): string[] => {
  const values = columns.map((column) => column[name] ?? 0);
  const difference = (values.at(-1) ?? 0) - (values[0] ?? 0);
  return [...values.map(String), difference > 0 ? `+${difference}` : String(difference)];
};
const row = (name: string, given: readonly string[]): string =>
  name.padEnd(28) + given.map((cell) => cell.padStart(12)).join('');
console.log(row('', [...commits.map((commit) => git('rev-parse', '--short', commit).trim()), 'change']));
for (const name of Object.keys(columns[0] ?? {})) console.log(row(name, cells(name)));
