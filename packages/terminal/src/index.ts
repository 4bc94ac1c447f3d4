export { openProgress, type Progress } from './progress.ts';
export { printable, shown } from './shown.ts';
