import scalar from '@scalar/fastify-api-reference';
import Fastify, { type FastifyInstance } from 'fastify';
import type { ZodTypeProvider } from 'fastify-type-provider-zod';
import { expect, test, vi } from 'vitest';
import { errorHandler } from '../http/error-handler.ts';
import { renderPage } from './pages.ts';
import { referenceRoutes } from './routes.ts';

vi.mock('./pages.ts', async (original) => ({
  ...(await original<typeof import('./pages.ts')>()),
  renderPage: vi.fn(),
}));
vi.mock('@scalar/fastify-api-reference', () => ({ default: vi.fn() }));

const withScript = async (app: FastifyInstance): Promise<void> => {
  app.get('/js/scalar.js', async () => 'script');
};

test('a page that could not be loaded is loaded at the next request, and nobody caches the error', async () => {
  vi.mocked(renderPage).mockRejectedValueOnce(new Error('EMFILE')).mockResolvedValue('page');
  vi.mocked(scalar).mockRejectedValueOnce(new Error('EMFILE')).mockImplementation(withScript);
  const app = Fastify().withTypeProvider<ZodTypeProvider>();
  app.setSerializerCompiler(() => JSON.stringify);
  app.setErrorHandler(errorHandler({ refused: () => {}, databaseFailed: () => {}, faulted: () => {} }));
  referenceRoutes(app, { config: { DASHBOARD_URL: undefined } as never });

  for (const path of ['/docs/guide', '/docs/reference.js']) {
    const failed = await app.inject(path);
    expect({ path, status: failed.statusCode }).toEqual({ path, status: 500 });
    expect(failed.headers).not.toHaveProperty('cache-control');
    expect({ path, status: (await app.inject(path)).statusCode }).toEqual({ path, status: 200 });
  }
  expect(renderPage).toHaveBeenCalledTimes(2);
  await app.inject('/docs/guide');
  expect(renderPage).toHaveBeenCalledTimes(2);
});
