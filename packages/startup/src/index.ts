export { BUILD, type Build } from './build.ts';
export * from './key-list.ts';
export * from './settings.ts';
export * from './tracing-settings.ts';
export * from './version.ts';
