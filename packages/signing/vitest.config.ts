import { defineConfig } from 'vitest/config';

const conditions = ['@chairside/source', 'node', 'import', 'default'];

export default defineConfig({
  root: import.meta.dirname,
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: { name: 'signing', include: ['{src,test,recipes,docs}/**/*.test.ts'] },
});
