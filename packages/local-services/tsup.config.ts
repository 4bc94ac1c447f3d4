import { forNode } from '../../tsup.base.ts';

export default forNode({
  entry: {
    index: 'src/index.ts',
    // This program runs as a separate process. src/sources/downloaded-mongodb.ts finds it next to the entry.
    'mongod-download-process': 'src/sources/mongod-download-process.ts',
  },
});
