import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SignatureErrorCode } from '../src/index.ts';

export interface Vector {
  name: string;
  expect: 'accept' | SignatureErrorCode;
  operation: 'verify' | 'unwrap';
  secret: string | string[];
  header: string | null;
  bodyBase64: string;
  now: number;
  tolerance: number | false;
}

const path = join(import.meta.dirname, '../vectors.json');
export const vectors: Vector[] = JSON.parse(readFileSync(path, 'utf8')).cases;
