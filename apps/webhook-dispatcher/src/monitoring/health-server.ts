import { createServer, type Server, type ServerResponse } from 'node:http';
import { BUILD } from '@chairside/startup';
import type { Metrics } from './metrics.ts';

export type HealthOptions = {
  /** Rejects while the process cannot do its work. */
  check(): Promise<void>;
  metrics: Pick<Metrics, 'expose'>;
};

const JSON_TYPE = 'application/json; charset=utf-8';

const respond = (response: ServerResponse, statusCode: number, contentType: string, text: string) => {
  response.writeHead(statusCode, { 'content-type': contentType });
  response.end(text);
};
const respondStatus = (response: ServerResponse, statusCode: number, status: string) =>
  respond(response, statusCode, JSON_TYPE, JSON.stringify({ status }));

/**
 * `/health/live` returns 200 while the process runs. `/health/ready` returns 200 while the process can do its work,
 * else 503. `/metrics` is for Prometheus.
 */
export const createHealthServer = ({ check, metrics }: HealthOptions): Server =>
  createServer((request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return respondStatus(response, 405, 'method not allowed');
    switch (request.url) {
      case '/health/live':
        return respond(response, 200, JSON_TYPE, JSON.stringify({ status: 'ok', ...BUILD }));
      case '/health/ready':
        return void check().then(
          () => respondStatus(response, 200, 'ok'),
          () => respondStatus(response, 503, 'unavailable'),
        );
      case '/metrics':
        return void metrics.expose().then(
          ({ contentType, text }) => respond(response, 200, contentType, text),
          () => respondStatus(response, 500, 'unavailable'),
        );
      default:
        return respondStatus(response, 404, 'not found');
    }
  });
