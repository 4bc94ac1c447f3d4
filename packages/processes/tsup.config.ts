import { forNode } from '../../tsup.base.ts';

export default forNode({
  // The watchdog runs as a process of its own and is found beside the entry: src/program.ts.
  entry: ['src/index.ts', 'src/watchdog-process.ts'],
});
