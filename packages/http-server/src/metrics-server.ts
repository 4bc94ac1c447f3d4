import { createServer, type Server } from 'node:http';
import { BUILD } from '@chairside/startup';

/** The metrics that a process exposes. */
export type Exposed = {
  /** Returns all metrics in the text format of Prometheus. */
  expose(): Promise<{ contentType: string; text: string }>;
};

/**
 * A server on a port that is not public: `/metrics` and `/health/live` (GET and HEAD). In each round of the event loop,
 * libuv accepts one connection of each port, so callers of the public port could keep a probe of it waiting.
 */
export const createMetricsServer = (metrics: Exposed): Server => {
  const pages: Record<string, () => ReturnType<Exposed['expose']>> = {
    '/metrics': () => metrics.expose(),
    '/health/live': async () => ({
      contentType: 'application/json; charset=utf-8',
      text: JSON.stringify({ status: 'ok', ...BUILD }),
    }),
  };
  return createServer(async ({ method, url = '' }, response) => {
    const page = Object.hasOwn(pages, url) ? pages[url] : undefined;
    if (page === undefined) return response.writeHead(404).end();
    if (method !== 'GET' && method !== 'HEAD') return response.writeHead(405).end();
    const { contentType, text } = await page();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  });
};
