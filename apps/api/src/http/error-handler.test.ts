import { QueueFullError } from '@chairside/concurrency';
import { OverloadedError } from '@chairside/mongodb';
import Fastify from 'fastify';
import { expect, test } from 'vitest';
import { errorHandler } from './error-handler.ts';

test('a full queue of operations is a 429 for reads of the organization that fills it, and otherwise a 503', async () => {
  const app = Fastify();
  app.setErrorHandler(errorHandler({ refused: () => {}, databaseFailed: () => {}, faulted: () => {} }));
  const failing = (isCallers: boolean) => async () => {
    throw new OverloadedError('overloaded', { cause: new QueueFullError('full', isCallers) });
  };
  app.route({ method: ['GET', 'POST'], url: '/own', handler: failing(true) });
  app.route({ method: ['GET', 'POST'], url: '/others', handler: failing(false) });
  const send = async (method: 'GET' | 'POST', url: string) => {
    const { statusCode, headers } = await app.inject({ method, url });
    return [statusCode, headers['retry-after']];
  };
  expect(await send('GET', '/own')).toEqual([429, '1']);
  expect(await send('POST', '/own')).toEqual([503, '1']);
  expect(await send('GET', '/others')).toEqual([503, '1']);
});
