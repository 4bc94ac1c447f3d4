import { writeFile } from 'node:fs/promises';
import { generateTypes, TYPES } from './client-types.ts';

await writeFile(TYPES, await generateTypes());
