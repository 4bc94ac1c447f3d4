import { describe, expect, it } from 'vitest';
import { refusal } from '../test/entries.ts';
import * as browser from './browser.ts';
import * as synchronous from './index.ts';
import * as web from './web.ts';

describe('the default entry in a browser build', () => {
  it('exports the names of both entries', () => {
    expect(Object.keys(browser).sort()).toEqual(Object.keys(synchronous).sort());
    expect(Object.keys(browser).sort()).toEqual(Object.keys(web).sort());
  });

  it('throws synchronously from each function and names the entry to use', async () => {
    const { sign, createSigner, verify, unwrap, createVerifier } = browser;
    for (const call of [sign, createSigner, verify, unwrap, createVerifier]) {
      const error = await refusal(call);
      expect(error.code).toBe('no_crypto');
      expect(error.message).toContain('@chairside/signing/web');
    }
  });
});
