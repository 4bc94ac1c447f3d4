import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { entries, refusal } from '../test/entries.ts';
import { document, vectors } from '../test/vectors.ts';

describe('vectors.json', () => {
  it('is the output of its script, which uses only node:crypto', () => {
    const script = join(import.meta.dirname, '../scripts/make-vectors.ts');
    expect(execFileSync(process.execPath, [script, '--check'], { encoding: 'utf8' })).toContain('cases');
  });

  it('describes each field of its cases, and no other', () => {
    expect(document.format).toBe(1);
    for (const vector of vectors) expect(Object.keys(vector)).toEqual(Object.keys(document.fields));
  });

  it('has enough cases with unique names for every code that a vector can express', () => {
    expect(vectors.length).toBeGreaterThanOrEqual(60);
    expect(new Set(vectors.map((vector) => vector.name)).size).toBe(vectors.length);
    expect([...new Set(vectors.map((vector) => vector.expect))].sort()).toEqual([
      'accept',
      'bad_json',
      'bad_option',
      'bad_secret',
      'malformed_header',
      'mismatch',
      'missing_header',
      'no_signature',
      'too_new',
      'too_old',
    ]);
  });
});

for (const entry of entries) {
  describe(`vectors.json through the ${entry.name}`, () => {
    for (const { name, expect: verdict, operation, bodyBase64, ...options } of vectors) {
      it(name, async () => {
        const body = Buffer.from(bodyBase64, 'base64');
        if (verdict === 'accept') {
          const timestamp = Number(/(?:^|,[ \t]*)t=(\d+)/.exec(options.header ?? '')?.[1]);
          const accepted = await entry[operation]({ ...options, body });
          expect(accepted).toEqual(operation === 'unwrap' ? JSON.parse(body.toString()) : { timestamp });
        } else {
          expect(await refusal(() => entry[operation]({ ...options, body }))).toMatchObject({
            code: verdict,
          });
        }
      });
    }
  });
}
