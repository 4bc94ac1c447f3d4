import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { signIn } from './sign-in.ts';

const signInWith = async (status: number, body: object) => {
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(status).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const operator = { email: 'administrator@example.com', password: 'old' };
  try {
    return await signIn(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, operator);
  } finally {
    server.close();
  }
};

test('the error for a changed password explains how to start with new data', async () => {
  await expect(signInWith(401, {})).rejects.toThrow(
    /^administrator@example.com cannot sign in: .*To start with new data, run: npm run reset$/,
  );
});

test('any other refusal is passed on', async () => {
  const refusal = { name: 'Forbidden', message: 'Not today.', statusCode: 403, details: {} };
  await expect(signInWith(403, refusal)).rejects.toThrow('cannot sign in: Not today.');
  expect(await signInWith(200, { token: 't' })).toMatchObject({ token: 't' });
});
