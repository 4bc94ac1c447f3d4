// Checks a version before it is published: the packed package in an empty project, on every supported runtime and
// every supported TypeScript. It needs the npm registry for the runtimes. `npm run check:release` runs it.
import { join } from 'node:path';
import { type Consumer, compileWith, createConsumer, writeWorkerdConfig } from './consumer.ts';
import { installRuntime, NODE_VERSIONS } from './runtimes.ts';

const TYPESCRIPT_VERSIONS = ['5.0.4', '5.4.5', '5.9.3', '6.0.3', '7.0.2'];
const DENO = '2.9.6';
const BUN = '1.4.5';
const WORKERD = '1.20261117.1';
const WORKERD_CONDITIONS = ['workerd', 'worker', 'browser'];

type Check = [name: string, run: (consumer: Consumer) => string | Promise<string>];

const checks: Check[] = [
  ...NODE_VERSIONS.map(
    (version): Check => [
      `Node ${version}`,
      (consumer) => {
        const node = installRuntime('node', version);
        return consumer.run(node, 'esm.mjs') + consumer.run(node, 'cjs.cjs');
      },
    ],
  ),
  [
    `Deno ${DENO}`,
    (consumer) => {
      const deno = installRuntime('deno', DENO);
      const options = ['run', '--no-remote', '--node-modules-dir=manual', '--allow-read', '--allow-env'];
      return consumer.run(deno, ...options, 'esm.mjs') + consumer.run(deno, ...options, 'cjs.cjs');
    },
  ],
  [
    `Bun ${BUN}`,
    (consumer) => {
      const bun = installRuntime('bun', BUN);
      return consumer.run(bun, 'esm.mjs') + consumer.run(bun, 'cjs.cjs');
    },
  ],
  [
    `workerd ${WORKERD} with nodejs_compat, both entries`,
    async (consumer) => {
      await consumer.bundle('worker.mjs', 'worker.js', WORKERD_CONDITIONS);
      const config = writeWorkerdConfig(consumer, 'worker.js', ['nodejs_compat']);
      consumer.run(installRuntime('workerd', WORKERD), 'test', config);
      return 'every row';
    },
  ],
  [
    `workerd ${WORKERD} without it, the web entry`,
    async (consumer) => {
      await consumer.bundle('web-worker.mjs', 'web-worker.js', WORKERD_CONDITIONS);
      const config = writeWorkerdConfig(consumer, 'web-worker.js', []);
      consumer.run(installRuntime('workerd', WORKERD), 'test', config);
      return 'every row';
    },
  ],
  ...TYPESCRIPT_VERSIONS.map(
    (version): Check => [
      `TypeScript ${version}`,
      (consumer) => {
        const tsc = installRuntime('typescript', version, 'tsc');
        for (const resolution of ['node16', 'nodenext', 'bundler'] as const) {
          compileWith(consumer, [tsc], resolution);
        }
        return 'node16, nodenext, bundler';
      },
    ],
  ),
];

const consumer = createConsumer();
let failed = 0;
for (const [name, run] of checks) {
  try {
    console.log(`ok      ${name}: ${(await run(consumer)).trim().replaceAll('\n', ', ')}`);
  } catch (error) {
    failed++;
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    console.log(`FAILED  ${name}: ${error}\n${stdout}${stderr}`);
  }
}
consumer.remove();
console.log(`${checks.length - failed} passed, ${failed} failed (${join('packages', 'signing')})`);
process.exitCode = failed === 0 ? 0 : 1;
