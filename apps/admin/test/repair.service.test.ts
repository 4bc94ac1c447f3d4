import { readFileSync } from 'node:fs';
import { startWholeService, testEngines } from '@chairside/test-support';
import { expect, test } from 'vitest';
import { adminOf } from './admin.ts';

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8');
/** The commands that a page quotes. A line of a YAML text may be broken inside of a command. */
const commandsIn = (path: string): string[] =>
  [...read(path).matchAll(/`chairside-admin ([^`]+)`/g)].map(([, command = '']) =>
    command.replaceAll(/\s+/g, ' '),
  );

test('each command of docs/operation/repair.md and of an alert works as it is written', async () => {
  const service = await startWholeService(testEngines().redisUrl);
  await service.call('POST', '/api/patients', { clinicId: service.practice.clinicIds[0] });
  await service.receiver.until((posts) => posts.length === 1);
  const { store, organizationId } = service.practice;
  const delivery = async () =>
    (await Array.fromAsync(store.deliveries.page({ outcome: 'succeeded' }, {}, 1)))[0]?._id;
  await expect.poll(delivery).toBeDefined();
  const values: Record<string, string> = {
    $ORG: organizationId,
    $SUBSCRIPTION: service.subscription._id,
    $DELIVERY: (await delivery()) ?? '',
  };

  const commands = new Set(['docs/operation/repair.md', 'deploy/prometheus/alerts.yaml'].flatMap(commandsIn));
  expect([...commands].map((command) => command.split(' ', 2).join(' '))).toEqual(
    expect.arrayContaining(['doctor', 'encryption check', 'encryption rotate-data-key', 'delivery show']),
  );
  for (const command of commands) {
    const args = command.split(' ').map((arg) => values[arg] ?? arg);
    const run = async () => {
      const { code, stderr } = await adminOf(service).run(args);
      return { command, code, stderr: code === 0 ? '' : stderr };
    };
    // On a busy machine, a check of doctor may have no result in time.
    await expect.poll(run).toEqual({ command, code: 0, stderr: '' });
  }
  await service.close();
});
