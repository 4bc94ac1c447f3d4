export { openProgress, type Progress } from './progress.ts';
export { shown } from './shown.ts';
