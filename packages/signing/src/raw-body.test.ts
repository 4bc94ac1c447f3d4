import { Readable } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { readBody } from './raw-body.ts';
import { SignatureError } from './signature-error.ts';

function refuse(body: unknown): SignatureError {
  try {
    readBody(body as string);
  } catch (error) {
    if (error instanceof SignatureError) return error;
    throw error;
  }
  throw new Error('not refused');
}

describe('readBody', () => {
  it('accepts bytes of another realm, as in Jest', () => {
    const bytes = runInNewContext('Uint8Array.of(1, 2)');
    expect(bytes).not.toBeInstanceOf(Uint8Array);
    expect(readBody(bytes)).toBe(bytes);
    expect(readBody(runInNewContext('Uint8Array.of(1, 2).buffer'))).toEqual(Uint8Array.of(1, 2));
  });

  it.each([
    { id: 'evt_1' },
    [1],
    Object.create(null),
    { type: 'text' },
    // JSON can contain any key. A key with the name of a method is not a method.
    JSON.parse('{ "then": 1, "pipe": 1, "arrayBuffer": 1, "getReader": 1 }'),
  ])('names the fix for each framework if the body was parsed: %j', (body) => {
    const { code, message } = refuse(body);
    expect(code).toBe('body_not_raw');
    for (const framework of ['Express', 'Fastify', 'Next.js', 'Workers', 'Hono', 'NestJS', 'Lambda']) {
      expect(message).toContain(framework);
    }
  });

  it.each([undefined, null, 5, true, Symbol('body'), () => {}, 1n])(
    'refuses %s with the same fixes',
    (body) => {
      const { code, message } = refuse(body);
      expect(code).toBe('body_not_raw');
      expect(message).toContain('express.raw');
    },
  );

  it.each([
    ['a promise', Promise.resolve('{}'), 'Await it'],
    [
      'a fetch Request',
      new Request('http://localhost', { method: 'POST', body: '{}' }),
      'await request.arrayBuffer()',
    ],
    ['a Blob', new Blob(['{}']), 'arrayBuffer()'],
    ['a Node stream', Readable.from(['{}']), 'Buffer.concat'],
    ['a web stream', new Blob(['{}']).stream(), 'Buffer.concat'],
    ['a DataView', new DataView(new ArrayBuffer(2)), 'Uint8Array'],
    ['an array of larger numbers', new Uint16Array(2), 'Uint8Array'],
    [
      'a Buffer that went through JSON',
      JSON.parse(JSON.stringify(Buffer.from('{}'))),
      'Buffer.from(body.data)',
    ],
  ])('names the mistake: %s', (_, body, hint) => {
    const { code, message } = refuse(body);
    expect(code).toBe('body_not_raw');
    expect(message).toContain(hint);
  });

  it('does not treat a transferred ArrayBuffer as an empty body', () => {
    const buffer = new ArrayBuffer(2);
    structuredClone(buffer, { transfer: [buffer] });
    expect(refuse(buffer).message).toContain('transferred');
  });

  it('refuses an object that only pretends to be bytes', () => {
    for (const name of ['Uint8Array', 'ArrayBuffer']) {
      expect(refuse({ [Symbol.toStringTag]: name, byteLength: 0, length: 0 }).code).toBe('body_not_raw');
    }
  });
});
