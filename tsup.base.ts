import { defineConfig, type Options } from 'tsup';

/** How the private packages and the apps are built: one ESM file for the Node.js of the project. */
export const forNode = (options: Options = {}) =>
  defineConfig({ entry: ['src/index.ts'], format: 'esm', target: 'node24', clean: true, ...options });
