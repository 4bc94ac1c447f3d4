import { createServer, type Server } from 'node:http';

/** The metrics that a process exposes. */
export type Exposed = {
  /** Returns all metrics in the text format of Prometheus. */
  expose(): Promise<{ contentType: string; text: string }>;
};

/** A server that serves only `/metrics` (GET and HEAD), on a port that is not public. */
export const createMetricsServer = (metrics: Exposed): Server =>
  createServer(async ({ method, url }, response) => {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD'))
      return response.writeHead(url === '/metrics' ? 405 : 404).end();
    const { contentType, text } = await metrics.expose();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  });
