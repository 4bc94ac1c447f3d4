import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TABLE, tableText } from './flags.ts';

writeFileSync(TABLE, tableText());
const biome = fileURLToPath(new URL('../../../node_modules/.bin/biome', import.meta.url));
execFileSync(biome, ['check', '--write', TABLE], { stdio: 'inherit' });
