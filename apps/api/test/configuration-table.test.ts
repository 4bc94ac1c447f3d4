import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { configSchema as dispatcher } from '../../webhook-dispatcher/src/config.ts';
import { configSchema as api } from '../src/config.ts';

type Setting = { description?: string; default?: unknown };

const settingsOf = (schema: z.ZodType): Record<string, Setting & { required: boolean }> => {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.fromEntries(
    Object.entries(properties as Record<string, Setting>).map(([name, setting]) => [
      name,
      { ...setting, required: required.includes(name) },
    ]),
  );
};

const row = (
  name: string,
  users: string,
  { description, default: value, required }: Setting & { required: boolean },
) =>
  `| \`${name}\` | ${users} | ${description} | ${required ? 'required' : value === '' ? 'none' : `\`${value}\``} |`;

test('docs/configuration.md has a row for each setting', () => {
  const [ofApi, ofDispatcher] = [settingsOf(api), settingsOf(dispatcher)];
  const expected = Object.entries({ ...ofApi, ...ofDispatcher }).map(([name, setting]) => {
    const users = name in ofApi ? (name in ofDispatcher ? 'both' : 'api') : 'dispatcher';
    return row(name, users, setting);
  });
  const page = readFileSync(new URL('../../../docs/configuration.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('| Name | Used by | Meaning | Default |\n| --- | --- | --- | --- |\n');
  expect(table.slice(0, table.indexOf('\n\n')).split('\n')).toEqual(expected);
});
