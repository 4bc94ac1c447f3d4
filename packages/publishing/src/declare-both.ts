// Creates the type declarations for both module kinds. tsc writes one `.d.ts` for each source file, with imports that
// end in `.ts`. ESM consumers need imports that end in `.js`. CommonJS consumers need `.d.cts` files with imports that
// end in `.cjs`. Run this script in the folder of a package, after tsc.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = 'dist';
for (const name of readdirSync(dist)) {
  if (!name.endsWith('.d.ts')) continue;
  const text = readFileSync(join(dist, name), 'utf8');
  const ending = (extension: string) => text.replace(/(from '\.\/[^']+)\.ts'/g, `$1.${extension}'`);
  writeFileSync(join(dist, name), ending('js'));
  writeFileSync(join(dist, name.replace('.d.ts', '.d.cts')), ending('cjs'));
}
