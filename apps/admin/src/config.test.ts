import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';
import { buildProgram } from './program.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
const help = () => {
  const parts: string[] = [];
  buildProgram()
    .configureOutput({ writeOut: (part) => parts.push(part) })
    .outputHelp();
  return parts.join('');
};

test.each([
  ['the help', /Environment variables[^.]*\./, help],
  ['README.md', /It reads[^.]*\.[^.]*\./, () => read('apps/admin/README.md')],
  ['docs/configuration.md', /chairside-admin reads[^.]*\./, () => read('docs/configuration.md')],
])('%s names the settings that chairside-admin reads', (_name, sentence, textOf) => {
  const found = sentence.exec(textOf())?.[0] ?? '';
  expect(new Set(found.match(/[A-Z]+(_[A-Z]+)+/g))).toEqual(new Set(Object.keys(configSchema.shape)));
});
