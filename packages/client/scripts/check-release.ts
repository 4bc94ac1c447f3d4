// Checks a version before it is published: it installs the packed package in an empty project and tests it on the
// supported runtimes and TypeScript versions. It needs the npm registry to install the runtimes. `npm run
// check:release` runs it.
import { join } from 'node:path';
import {
  type Check,
  compileWith,
  installRuntime,
  NODE_VERSIONS,
  RUNTIMES,
  runChecks,
  TYPESCRIPT_VERSIONS,
  writeWorkerdConfig,
} from '@chairside/publishing';

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
    `Deno ${RUNTIMES.deno}`,
    (consumer) => {
      const deno = installRuntime('deno', RUNTIMES.deno);
      const options = [
        ...['run', '--no-remote', '--node-modules-dir=manual'],
        ...['--allow-read', '--allow-env', '--allow-net=127.0.0.1'],
      ];
      return consumer.run(deno, ...options, 'esm.mjs') + consumer.run(deno, ...options, 'cjs.cjs');
    },
  ],
  [
    `Bun ${RUNTIMES.bun}`,
    (consumer) => {
      const bun = installRuntime('bun', RUNTIMES.bun);
      return consumer.run(bun, 'esm.mjs') + consumer.run(bun, 'cjs.cjs');
    },
  ],
  [
    `workerd ${RUNTIMES.workerd}`,
    async (consumer) => {
      await consumer.bundle('worker.mjs', 'worker.js', ['workerd', 'worker', 'browser']);
      const config = writeWorkerdConfig(consumer, 'worker.js', []);
      consumer.run(installRuntime('workerd', RUNTIMES.workerd), 'test', config);
      return 'all right';
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
        const programs = ['consumer.mts', 'platform.mts'];
        compileWith(consumer, [tsc], 'nodenext', { lib: ['es2022', 'dom'], programs });
        return 'node16, nodenext, bundler, with and without the DOM';
      },
    ],
  ),
];

await runChecks(join(import.meta.dirname, '..'), checks);
