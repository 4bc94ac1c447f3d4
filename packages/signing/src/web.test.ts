import { afterEach, describe, expect, it, vi } from 'vitest';
import { BODY, NOW, refusal, SECRET } from '../test/entries.ts';
import { createSigner, createVerifier, sign, verify } from './web.ts';

describe('the web entry', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.restoreAllMocks();
  });

  it('imports the key once for all calls, at the first call', async () => {
    const imports = vi.spyOn(crypto.subtle, 'importKey');
    const header = await sign({ body: BODY, secret: SECRET, timestamp: NOW });
    imports.mockClear();
    const webhooks = createVerifier({ secret: SECRET });
    expect(imports).toHaveBeenCalledTimes(0);
    await Promise.all([1, 2, 3].map(() => webhooks.verify({ body: BODY, header, now: NOW })));
    await webhooks.unwrap({ body: BODY, header, now: NOW });
    expect(imports).toHaveBeenCalledTimes(1);
  });

  it('throws for a bad secret at creation, and rejects for every problem of a request', async () => {
    expect(() => createVerifier({ secret: '' })).toThrow('environment variable');
    expect(() => createSigner({ secret: undefined })).toThrow('environment variable');
    expect(() => createVerifier({ secret: SECRET, tolerance: 0 })).toThrow('tolerance');
    const webhooks = createVerifier({ secret: SECRET });
    const rejected = webhooks.verify({ body: BODY, header: undefined });
    await expect(rejected).rejects.toMatchObject({ code: 'missing_header' });
  });

  it('accepts shared memory', async () => {
    const body = new Uint8Array(new SharedArrayBuffer(BODY.length));
    body.set(new TextEncoder().encode(BODY));
    const header = await sign({ body: BODY, secret: SECRET, timestamp: NOW });
    expect(await verify({ body, header, secret: SECRET, now: NOW })).toEqual({ timestamp: NOW });
  });

  it.each([undefined, {}])('reports what is missing if crypto is %j', async (crypto) => {
    vi.stubGlobal('crypto', crypto);
    const error = await refusal(() => sign({ body: BODY, secret: SECRET, timestamp: NOW }));
    expect(error.code).toBe('no_crypto');
  });
});
