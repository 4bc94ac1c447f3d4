import { nodeVersionProblem } from '@chairside/runtime/node-version';

// main.ts imports functions that older versions of Node.js lack. Without this check the import would fail.
const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) await import('./main.ts');
else {
  console.error(problem);
  process.exitCode = 1;
}
