import { defineConfig } from 'vitest/config';

// The condition `import` is omitted. These conditions also apply when a dependency calls require(), which would then
// load ES modules.
const conditions = ['@chairside/source', 'node'];

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { name: 'signing', include: ['{src,test}/**/*.test.ts'] },
});
