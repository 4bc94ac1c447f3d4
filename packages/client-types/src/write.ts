import { writeFile } from 'node:fs/promises';
import { generateTypes, TYPES } from './index.ts';

await writeFile(TYPES, await generateTypes());
