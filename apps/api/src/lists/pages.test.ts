import type { FastifyReply } from 'fastify';
import { expect, test } from 'vitest';
import { type PageRequest, pagesOf } from './pages.ts';

test('a page whose caller has disconnected is read no further', async () => {
  const raw = { destroyed: false };
  const listAdmission = { inTurn: (_reply: unknown, read: () => unknown) => read() };
  const reply = { raw, request: { method: 'GET' }, server: { listAdmission } } as unknown as FastifyReply;
  let rows = 0;
  const request = {
    limit: 1000,
    async *read() {
      while (rows < 1000) {
        yield rows++;
        if (rows === 3) raw.destroyed = true;
      }
    },
    positionOf: String,
    stringify: String,
  } as unknown as PageRequest<number>;
  await expect(pagesOf({} as never)(reply, request)).rejects.toThrow('disconnected');
  expect(rows).toBe(4);
});
