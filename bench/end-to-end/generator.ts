import { join } from 'node:path';
import { type Child, startChild } from '../child.ts';
import type { Load, Outcome } from './generator-process.ts';

/** The load generator. Each request is a load, and the response is sent when all calls of the load have ended. */
export type Generator = Child<Load, Outcome>;

export const startGenerator = async (): Promise<Generator> =>
  (await startChild<'ready', Load, Outcome>(join(import.meta.dirname, 'generator-process.ts'))).child;
