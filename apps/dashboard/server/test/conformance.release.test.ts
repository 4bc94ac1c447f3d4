import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { freePort } from '@chairside/processes';
import type { Browser } from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Authorization, MCP_URL, startAuthorization } from './authorization.ts';

/*
 * Tests the authorization server with the conformance suite of the Model Context Protocol's maintainers. The suite
 * prints the address that a person must open, and waits for the redirect.
 */
const CONFORMANCE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'));

let authorization: Authorization;
let browser: Browser;
beforeAll(async () => {
  authorization = await startAuthorization();
  browser = authorization.browser();
  await browser.signIn(authorization.service.practice.administrator);
});
afterAll(() => authorization.close());

/** Opens the address like a person, allows the app, and follows the redirect to it. */
const allow = async (address: string): Promise<void> => {
  const began = await browser.get(address);
  const [, uid = ''] = /\/oauth\/consent\/([^/]+)$/.exec(began.headers.get('location') ?? '') ?? [];
  await fetch(await authorization.decide(browser, uid, 'allow'));
};

test('passes both scenarios, metadata and code grant', async () => {
  const port = await freePort();
  const { client_id } = await authorization.register({
    redirect_uris: [`http://127.0.0.1:${port}/callback`],
  });
  const options = {
    url: authorization.issuer,
    'client-id': client_id,
    resource: MCP_URL,
    port: String(port),
  };
  const args = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value]);
  const child = spawn(process.execPath, [CONFORMANCE, 'authorization', ...args]);
  let output = '';
  let asked: Promise<void> | undefined;
  const read = (data: Buffer): void => {
    output += data.toString();
    const [address] = /http:\/\/\S+\/oauth\/authorize\?\S+(?=\s)/.exec(output) ?? [];
    if (address !== undefined) asked ??= allow(address);
  };
  child.stdout.on('data', read);
  child.stderr.on('data', read);
  const [code] = await once(child, 'close');
  await asked;
  expect({ code, output }).toMatchObject({ code: 0, output: expect.not.stringContaining('FAILURE') });
  expect({ output, asked: asked !== undefined }).toMatchObject({ asked: true });
});
