import { createServer, type Server } from 'node:http';
import type { SignInResult } from '@chairside/mongodb';
import type { EventProducer } from '@chairside/queue';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Seconds; a caller is told after two that the database is away. */
const BUCKETS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

const SIGN_IN_OUTCOMES: readonly SignInResult['outcome'][] = ['signed_in', 'refused', 'unknown'];

/** What this process counts, for Prometheus. No label has an id or a path: only a route, a method and a status. */
export type Metrics = {
  /** @param seconds from the request's arrival to the end of the answer */
  answered(request: { method: string; route: string; statusCode: number; seconds: number }): void;
  signedIn(outcome: SignInResult['outcome']): void;
  /** All of it in the text format of Prometheus. */
  expose(): Promise<{ contentType: string; text: string }>;
};

export const createMetrics = (
  queue: Pick<EventProducer, 'isReady'>,
  passwords: { waiting(): number },
): Metrics => {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const duration = new Histogram({
    name: 'chairside_api_request_duration_seconds',
    help: 'From the arrival of a request to the end of its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers,
  });
  new Gauge({
    name: 'chairside_api_redis_ready',
    help: '1 while events go to the dispatcher at once, 0 while they wait for its sweep',
    registers,
    collect() {
      this.set(queue.isReady() ? 1 : 0);
    },
  });
  const signIns = new Counter({
    name: 'chairside_api_sign_ins_total',
    help: 'Sign-ins whose password was checked, by outcome: signed_in, refused, unknown (no operator has the e-mail address)',
    labelNames: ['outcome'],
    registers,
  });
  for (const outcome of SIGN_IN_OUTCOMES) signIns.inc({ outcome }, 0);
  new Gauge({
    name: 'chairside_api_passwords_waiting',
    help: 'Passwords that wait to be hashed; two are hashed at a time',
    registers,
    collect() {
      this.set(passwords.waiting());
    },
  });
  return {
    signedIn: (outcome) => signIns.inc({ outcome }),
    answered: ({ method, route, statusCode, seconds }) =>
      duration.observe({ method, route, status: String(statusCode) }, seconds),
    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
};

/** Answers `GET /metrics` and nothing else, on a port that the public does not see. */
export const createMetricsServer = (metrics: Pick<Metrics, 'expose'>): Server =>
  createServer(async ({ method, url }, response) => {
    if (url !== '/metrics' || (method !== 'GET' && method !== 'HEAD'))
      return response.writeHead(url === '/metrics' ? 405 : 404).end();
    const { contentType, text } = await metrics.expose();
    response.writeHead(200, { 'content-type': contentType }).end(text);
  });
