export { ignoreClosedStderr } from './closed-streams.ts';
export { type Input, openInput, wideEncodingOf } from './input.ts';
export { openProgress, type Progress, withProgress } from './progress.ts';
export { printable, shown } from './shown.ts';
