import { once } from 'node:events';
// Runs one recipe in a separate process, with plain Node.js, and posts the requests of the test to it. Usage: node
// --conditions=@chairside/source recipe-runner.ts <recipe>
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';

export interface Posted {
  body: string;
  headers: Record<string, string>;
}
export interface RecipeResponse {
  status: number;
  text: string;
  /** The lines that the recipe has written with console.log. */
  logged: unknown[][];
}
type Post = (posted: Posted) => Promise<Pick<RecipeResponse, 'status' | 'text'>>;

/** Serves one request on loopback, as the framework receives it in production. */
function overHttp(listener: RequestListener): Post {
  return async ({ body, headers }) => {
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const response = await fetch(`http://127.0.0.1:${port}/webhooks`, { method: 'POST', body, headers });
    const text = await response.text();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    return { status: response.status, text };
  };
}

function asRequest(handle: (request: Request) => Response | Promise<Response>): Post {
  return async ({ body, headers }) => {
    const response = await handle(
      new Request('http://localhost/webhooks', { method: 'POST', body, headers }),
    );
    return { status: response.status, text: await response.text() };
  };
}

const env = { CHAIRSIDE_WEBHOOK_SECRET: process.env.CHAIRSIDE_WEBHOOK_SECRET ?? '' };

export const recipes: Record<string, () => Promise<Post>> = {
  'quick-start.ts': async () => {
    // The recipe listens by itself.
    process.env.PORT = '0';
    const { server } = await import('../recipes/quick-start.ts');
    if (!server.listening) await once(server, 'listening');
    server.unref();
    const { port } = server.address() as AddressInfo;
    return async ({ body, headers }) => {
      const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body, headers });
      return { status: response.status, text: await response.text() };
    };
  },
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
    return async ({ body, headers }) => {
      // API Gateway passes a body as text or as base64, depending on its configuration. Both must give the same
      // response.
      const base64 = Buffer.from(body).toString('base64');
      const text = await handler({ body, headers, isBase64Encoded: false } as APIGatewayProxyEventV2);
      const bytes = await handler({ body: base64, headers, isBase64Encoded: true } as APIGatewayProxyEventV2);
      const [first, second] = [text, bytes].map((result) => JSON.stringify(result));
      if (first !== second) throw new Error(`text: ${first}, base64: ${second}`);
      const { statusCode, body: answer = '' } = text as { statusCode: number; body?: string };
      return { status: statusCode, text: answer };
    };
  },
};

if (import.meta.main) {
  const logged: unknown[][] = [];
  console.log = (...values) => logged.push(values);
  console.warn = () => {};
  const post = (await recipes[process.argv[2] as string]?.()) as Post;
  process.on('message', async (posted: Posted) => {
    logged.length = 0;
    const response = await post(posted);
    process.send?.({ ...response, logged } satisfies RecipeResponse);
  });
  process.send?.('ready');
}
