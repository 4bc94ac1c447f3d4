import { useProxy } from './access/proxy.ts';
import { isCompletion } from './completion/command.ts';
import { run } from './run.ts';

const args = process.argv.slice(2);
// This concerns all requests of the process. Completion sends none, and must not print a warning.
if (!isCompletion(args)) useProxy();
await run(args);
