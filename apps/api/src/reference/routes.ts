import Fastify from 'fastify';
import { z } from 'zod';
import type { App } from '../context.ts';
import { type KeptAnswer, keepAnswer, sendKept } from './kept-answer.ts';
import { PAGES, type PagePath, renderPage } from './pages.ts';

const config = { access: 'public' } as const;
/** What is compressed once has a tag; the framework must not compress it again. */
const kept = { config: { ...config, versioned: true }, compress: false } as const;
const tags = ['Reference'];

/** Nothing but what this service itself serves is loaded, and nothing is sent anywhere else. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE_HEADERS = {
  'Content-Security-Policy': CONTENT_SECURITY_POLICY,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const PAGE_SUMMARIES: Readonly<
  Record<PagePath, { operationId: string; summary: string; description: string }>
> = {
  '/docs/guide': {
    operationId: 'getGuide',
    summary: 'Read the integrator guide',
    description: 'How to receive webhooks, catch up, poll, retry and stay within the limits.',
  },
  '/docs/limits': {
    operationId: 'getLimitsPage',
    summary: 'Read about the limits',
    description: 'Every limit, and what happens beyond it.',
  },
  '/docs/signatures': {
    operationId: 'getSignaturesPage',
    summary: 'Read about signatures',
    description: 'How a webhook is signed, and how to verify it in any language.',
  },
};

const PAGE = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Chairside API</title><link rel="icon" href="data:,"></head>
<body><div id="app"></div><script src="/docs/reference.js"></script></body>
</html>
`;

const SETTINGS = {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  persistAuth: false,
  hideClientButton: true,
};

/** The script of the page. Its module takes 40 MB of memory, so only a process that is asked for it loads it. */
const loadScript = async (): Promise<string> => {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const holder = Fastify();
  await holder.register(scalar, { routePrefix: '/', configuration: { url: SETTINGS.url } });
  const { body } = await holder.inject('/js/scalar.js');
  await holder.close();
  // On a line of its own: the script ends with a comment.
  return `${body}\nScalar.createApiReference('#app', ${JSON.stringify(SETTINGS)});`;
};

/** The contract for programs and for people, without credentials and without any other network. */
export const referenceRoutes = (app: App): void => {
  let document: Promise<KeptAnswer> | undefined;
  let script: Promise<KeptAnswer> | undefined;

  app.get(
    '/openapi.json',
    {
      ...kept,
      schema: {
        tags,
        operationId: 'getOpenApiDocument',
        summary: 'Get this document',
        description: 'The OpenAPI 3.1 document of this service.',
        response: {
          200: z.record(z.string(), z.unknown()).meta({ examples: [{ openapi: '3.1.0' }] }),
          304: z.undefined(),
        },
      },
    },
    async (request, reply) => {
      document ??= keepAnswer(app.openApi);
      reply.type('application/json; charset=utf-8').header('Cache-Control', 'no-cache');
      return sendKept(request, reply, await document);
    },
  );

  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        operationId: 'getStart',
        summary: 'Find the documentation',
        description: 'Redirects to `/docs`.',
        response: { 302: z.undefined() },
      },
    },
    async (_request, reply) => reply.redirect('/docs'),
  );

  for (const path of Object.keys(PAGES) as PagePath[]) {
    let page: Promise<KeptAnswer> | undefined;
    app.get(
      path,
      {
        ...kept,
        schema: {
          tags,
          ...PAGE_SUMMARIES[path],
          produces: ['text/html'],
        },
      },
      async (request, reply) => {
        page ??= renderPage(path).then(keepAnswer);
        reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).header('Cache-Control', 'no-cache');
        return sendKept(request, reply, await page);
      },
    );
  }

  app.get(
    '/docs',
    {
      config,
      schema: {
        tags,
        operationId: 'getReferencePage',
        summary: 'Read this document',
        description: 'The same document as a page for people. It loads nothing from elsewhere.',
        produces: ['text/html'],
      },
    },
    async (_request, reply) => reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).send(PAGE),
  );

  app.get(
    '/docs/reference.js',
    {
      ...kept,
      schema: {
        tags,
        operationId: 'getReferenceScript',
        summary: 'Get the script of the page',
        description: 'What the page runs.',
        produces: ['text/javascript'],
      },
    },
    async (request, reply) => {
      script ??= loadScript().then(keepAnswer);
      reply
        .type('text/javascript; charset=utf-8')
        .header('Cache-Control', 'public, max-age=86400')
        .header('X-Content-Type-Options', 'nosniff');
      return sendKept(request, reply, await script);
    },
  );
};
