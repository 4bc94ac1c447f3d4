export { openProgress, type Progress, withProgress } from './progress.ts';
export { printable, shown } from './shown.ts';
