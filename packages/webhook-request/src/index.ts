export * from './body.ts';
export * from './headers.ts';
export * from './secret.ts';
