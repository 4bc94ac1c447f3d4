import { nodeVersionProblem } from '@chairside/runtime/node-version';

// Check the version before the import: main.ts imports functions that an older Node.js does not have, so it would
// fail before its first line runs.
const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) await import('./main.ts');
else {
  console.error(problem);
  process.exitCode = 1;
}
