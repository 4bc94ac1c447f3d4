import { writeFileSync } from 'node:fs';
import { TABLE, tableText } from './flags.ts';

writeFileSync(TABLE, tableText());
