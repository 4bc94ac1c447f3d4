import { writeFileSync } from 'node:fs';
import { EXAMPLES_TABLE, examplesText, TABLE, tableText } from './flags.ts';

writeFileSync(TABLE, tableText());
writeFileSync(EXAMPLES_TABLE, examplesText());
