import { forNode } from '../../tsup.base.ts';

export default forNode({
  // The watchdog runs as a separate process. src/program.ts finds it next to the entry.
  entry: ['src/index.ts', 'src/process-identity.ts', 'src/watchdog-process.ts'],
});
