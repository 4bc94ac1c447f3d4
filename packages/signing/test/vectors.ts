import { createRequire } from 'node:module';
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

/** The published file, under the name by which the users of the package find it. */
export const document: { format: number; fields: Record<string, string>; cases: Vector[] } = createRequire(
  import.meta.url,
)('@chairside/signing/vectors.json');
export const vectors = document.cases;
