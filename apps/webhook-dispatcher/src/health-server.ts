import { createServer, type Server } from 'node:http';

/** `/health/live` answers while the process runs; `/health/ready` only while it can do its work. */
export const createHealthServer = (ping: () => Promise<void>): Server =>
  createServer((request, response) => {
    const answer = (statusCode: number, status: string) => {
      response.writeHead(statusCode, { 'content-type': 'application/json; charset=utf-8' });
      response.end(JSON.stringify({ status }));
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') return answer(405, 'method not allowed');
    if (request.url === '/health/live') return answer(200, 'ok');
    if (request.url !== '/health/ready') return answer(404, 'not found');
    ping().then(
      () => answer(200, 'ok'),
      () => answer(503, 'unavailable'),
    );
  });
