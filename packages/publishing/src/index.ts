export {
  bundleSize,
  bundleUnused,
  type Consumer,
  compileWith,
  createConsumer,
  DEPENDENCY_FIELDS,
  filesOf,
  findingsOf,
  manifestOf,
  writeWorkerdConfig,
} from './consumer.ts';
export { type Documents, embedFiles } from './embed-files.ts';
export { packPackage } from './pack.ts';
export { type Check, runChecks } from './release-checks.ts';
export { installRuntime, NODE_VERSIONS, RUNTIMES, TYPESCRIPT_VERSIONS } from './runtimes.ts';
