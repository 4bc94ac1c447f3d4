export { ignoreClosedStderr } from './closed-streams.ts';
export { type CsvColumns, type CsvLayout, CsvProblem, readCsv } from './csv.ts';
export { guarded, unguarded } from './formulas.ts';
export { type Input, openInput, wideEncodingOf } from './input.ts';
export { openProgress, type Progress, withProgress } from './progress.ts';
export { printable, shown } from './shown.ts';
