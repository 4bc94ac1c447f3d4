import { defineConfig } from 'vitest/config';

// Not `import`: these also hold where a dependency calls require(), which would then be given ES modules.
const conditions = ['@chairside/source', 'node'];

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { name: 'signing', include: ['{src,test}/**/*.test.ts'] },
});
