import { nodeVersionProblem } from '@chairside/runtime/node-version';

// The program imports functions that an older Node.js does not have, and would fail before its first line runs.
const problem = nodeVersionProblem(process.versions.node);
if (problem === undefined) await import('./main.ts');
else {
  console.error(problem);
  process.exitCode = 1;
}
