import type { RequestListener } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { sign } from '../src/index.ts';
import { SECRET } from './entries.ts';

// A parser that ran before the check would lose the spaces, the escape and the 1.0.
const BODY =
  '{ "id": "evt_1", "event": "test.ping", "timestamp": 1.0, "data": { "name": "Zo\\u00eb Łuksza" } }\n';

type Headers = Record<string, string>;
type Post = (body: string, headers: Headers) => Promise<number>;

/** Serves one request on loopback, the way the framework meets it in production. */
function overHttp(listener: RequestListener): Post {
  return async (body, headers) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { status } = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return status;
  };
}

function asRequest(handle: (request: Request) => Response | Promise<Response>): Post {
  return async (body, headers) => {
    const response = await handle(
      new Request('http://localhost/webhooks', { method: 'POST', body, headers }),
    );
    return response.status;
  };
}

const env = { CHAIRSIDE_WEBHOOK_SECRET: SECRET };

// Imported late, because the recipes read the environment when they are loaded.
const recipes: Record<string, () => Promise<Post>> = {
  'node-http.ts': async () => {
    const { server } = await import('../recipes/node-http.ts');
    return overHttp((request, response) => server.emit('request', request, response));
  },
  'fastify.ts': async () => {
    const { app } = await import('../recipes/fastify.ts');
    await app.ready();
    return overHttp(app.routing);
  },
  'express.ts': async () => overHttp((await import('../recipes/express.ts')).app),
  'next.ts': async () => asRequest((await import('../recipes/next.ts')).POST),
  'hono.ts': async () => {
    const { app } = await import('../recipes/hono.ts');
    return asRequest((request) => app.fetch(request, env));
  },
  'cloudflare-workers.ts': async () => {
    const worker = await import('../recipes/cloudflare-workers.ts');
    return asRequest((request) => worker.default.fetch(request, env));
  },
  'aws-lambda.ts': async () => {
    const { handler } = await import('../recipes/aws-lambda.ts');
    return async (body, headers) => {
      const text = await handler({ body, headers, isBase64Encoded: false } as APIGatewayProxyEventV2);
      const base64 = Buffer.from(body).toString('base64');
      const bytes = await handler({ body: base64, headers, isBase64Encoded: true } as APIGatewayProxyEventV2);
      expect(bytes).toEqual(text);
      return (text as { statusCode: number }).statusCode;
    };
  },
};

describe.each(Object.keys(recipes))('recipe %s', (name) => {
  let post: Post;
  let headers: Headers;

  beforeAll(async () => {
    vi.stubEnv('CHAIRSIDE_WEBHOOK_SECRET', SECRET);
    post = (await recipes[name]?.()) as Post;
  });

  beforeEach(() => {
    vi.spyOn(console, 'log').mockReturnValue();
    vi.spyOn(console, 'warn').mockReturnValue();
    const timestamp = Math.floor(Date.now() / 1000);
    headers = {
      'Content-Type': 'application/json',
      'X-Service-Signature': sign({ body: BODY, secret: SECRET, timestamp }),
    };
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('takes what the service signed', async () => {
    expect(await post(BODY, headers)).toBe(204);
    expect(console.log).toHaveBeenCalledWith('test.ping', 'evt_1');
  });

  it('refuses a body that was changed', async () => {
    expect(await post(BODY.replace('evt_1', 'evt_2'), headers)).toBe(400);
    expect(console.log).not.toHaveBeenCalled();
  });

  it('refuses a request without signature', async () => {
    expect(await post(BODY, { 'Content-Type': 'application/json' })).toBe(400);
    expect(console.log).not.toHaveBeenCalled();
  });

  it('refuses a replay', async () => {
    const timestamp = Math.floor(Date.now() / 1000) - 302;
    const old = { ...headers, 'X-Service-Signature': sign({ body: BODY, secret: SECRET, timestamp }) };
    expect(await post(BODY, old)).toBe(400);
    expect(console.log).not.toHaveBeenCalled();
  });

  it('takes the header in small letters', async () => {
    const small = {
      'content-type': 'application/json',
      'x-service-signature': headers['X-Service-Signature'] ?? '',
    };
    expect(await post(BODY, small)).toBe(204);
  });

  it('takes a body as large as the service sends them', async () => {
    const body = BODY.replace('Zo', 'Z'.repeat(300_000));
    const timestamp = Math.floor(Date.now() / 1000);
    expect(
      await post(body, { ...headers, 'X-Service-Signature': sign({ body, secret: SECRET, timestamp }) }),
    ).toBe(204);
  });
});
