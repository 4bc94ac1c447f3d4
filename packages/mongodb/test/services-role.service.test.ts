import { expect, onTestFinished, test } from 'vitest';
import { quickPasswords } from '../../test-support/src/index.ts';
import { NEEDED_ACTIONS } from '../src/monitoring/privileges.ts';
import { openWholeStore } from '../src/stores/whole-store.ts';
import { everyMethod, openGround } from './every-method.ts';
import { neededRole, type SentCommand } from './role-use.ts';

test('no method of the services needs an action beyond those that doctor looks for', async () => {
  const ground = await openGround();
  onTestFinished(() => ground.close());
  const sent: SentCommand[] = [];
  const store = openWholeStore({
    url: ground.url,
    encryptionKeys: ground.encryptionKeys,
    appName: 'test',
    passwords: quickPasswords,
    onCommand: (name, command) => sent.push({ name, command }),
  });
  onTestFinished(() => store.close());
  await store.prepare();
  for (const method of Object.values(everyMethod)) {
    const call = await method(ground);
    await call(store);
  }
  const role = neededRole(sent);
  expect(Object.keys(role).length).toBeGreaterThan(20);
  const beyond = Object.entries(role).flatMap(([collection, actions]) =>
    actions.filter((action) => !NEEDED_ACTIONS.includes(action)).map((action) => `${action} ${collection}`),
  );
  expect(beyond).toEqual([]);
});
