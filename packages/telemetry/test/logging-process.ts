import { openLogOutput } from '../src/log-output.ts';

/** Writes as many lines as its parent asks for, each with its number and 1,000 more characters. */
const output = openLogOutput();
output.onLost((lines) => output.write(`lost ${lines}\n`));
let count = 0;
process.on('message', (lines: number) => {
  for (let index = 0; index < lines; index++) output.write(`line ${count++} ${'.'.repeat(1000)}\n`);
  process.send?.('written');
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');
