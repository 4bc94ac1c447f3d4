import { forNode } from '../../tsup.base.ts';

export default forNode({
  entry: {
    index: 'src/index.ts',
    // Runs as a process of its own and is found beside the entry: src/sources/downloaded-mongodb.ts.
    'mongod-download-process': 'src/sources/mongod-download-process.ts',
  },
});
