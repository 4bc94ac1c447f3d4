import { execFile, spawnSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { type Folder, nodeArgumentsOf, openFolder } from '@chairside/test-support';
import { spawnOptions } from '@chairside/test-support/app';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openProgram, type Terminal } from './terminal.ts';

type Shell = {
  name: string;
  /** The line that loads the completion. */
  load: string;
  /** The arguments with which the shell reads no settings of the user. */
  bare: string[];
  /** What the shell needs before the completion is loaded. */
  before: string;
};

const SHELLS: Shell[] = [
  {
    name: 'bash',
    load: 'eval "$(chairside completion bash)"',
    bare: ['--noprofile', '--norc'],
    before: ':',
  },
  {
    name: 'zsh',
    load: 'eval "$(chairside completion zsh)"',
    bare: ['-f'],
    before: 'autoload -U compinit && compinit -u -D',
  },
  { name: 'fish', load: 'chairside completion fish | source', bare: ['--no-config'], before: 'true' },
];

let folder: Folder;
let environment: Record<string, string>;
beforeAll(async () => {
  folder = await openFolder();
  const bin = join(folder.path, 'bin');
  await mkdir(bin);
  const program = [process.execPath, ...nodeArgumentsOf('cli')].map((part) => `'${part}'`).join(' ');
  await writeFile(join(bin, 'chairside'), `#!/bin/sh\nexec ${program} "$@"\n`);
  await chmod(join(bin, 'chairside'), 0o755);
  await folder.write('people-of-the-test.csv', 'clinicId,name\n');
  // Also the shell starts in the folder, so that a name of a file can be completed.
  environment = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: folder.path,
    XDG_CONFIG_HOME: folder.path,
    PS1: '$ ',
    TERM: 'xterm-256color',
  };
});
afterAll(() => folder.close());

const TAB = '\t';
const CTRL_U = '\u0015';
/** What is typed, and the beginning of the line that Tab makes of it. */
const COMPLETED = [
  ['a noun', 'chairside pat', 'chairside patients '],
  ['a verb', 'chairside webhooks redeliveri', 'chairside webhooks redeliveries '],
  ['a flag', 'chairside patients list --updated-s', 'chairside patients list --updated-since '],
  ['a value', 'chairside patients list --output nd', 'chairside patients list --output ndjson '],
  ['a value after =', 'chairside patients list --output=nd', 'chairside patients list --output=ndjson '],
  [
    'a file',
    'chairside patients create --from people-',
    'chairside patients create --from people-of-the-test.csv ',
  ],
] as const;

for (const { name, load, bare, before } of SHELLS) {
  if (spawnSync(name, ['--version']).status !== 0) {
    // A missing shell must not fail the test, but the output must show that its script was not tested.
    test(`${name}: DID NOT RUN, because this machine does not have it`, () => {
      console.warn(`The completion for ${name} did not run.`);
      expect(spawnSync(name, ['--version']).status).not.toBe(0);
    });
    continue;
  }

  describe(name, () => {
    /** A shell that has loaded the completion, on a terminal. */
    const openShell = async (): Promise<Terminal> => {
      const { env } = spawnOptions(environment);
      const shell = openProgram(name, [...bare, '-i'], { cwd: folder.path, env });
      onTestFinished(async () => {
        shell.type(`${CTRL_U}exit\r`);
        await shell.ended;
      });
      shell.type(`${before}; ${load}; echo load''ed\r`);
      await shell.until('loaded');
      return shell;
    };

    test('loads twice without a word', async () => {
      const { env } = spawnOptions(environment);
      const script = `${before}; ${load}; ${load}`;
      const run = promisify(execFile)(name, [...bare, '-c', script], { cwd: folder.path, env });
      expect(await run).toEqual({ stdout: '', stderr: '' });
    });

    for (const [what, typed, wanted] of COMPLETED) {
      test(`completes ${what}`, async () => {
        const shell = await openShell();
        shell.type(`${typed}${TAB}`);
        await shell.until(wanted.slice(typed.length));
      });
    }
  });
}

test('bash: completes without the package bash-completion, and evaluates no word', async () => {
  const script = `
    eval "$(chairside completion bash)"
    type _get_comp_words_by_ref >/dev/null 2>&1 && exit 9
    COMP_WORDS=(chairside '$(touch made)' ''); COMP_CWORD=2
    COMP_LINE='chairside $(touch made) '; COMP_POINT=\${#COMP_LINE}
    __chairside_complete
    ls
  `;
  const { env } = spawnOptions(environment);
  const { stdout } = await promisify(execFile)('bash', ['--noprofile', '--norc', '-c', script], {
    cwd: folder.path,
    env,
  });
  expect(stdout).not.toContain('made');
});
