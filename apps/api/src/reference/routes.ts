import { Refusal } from '@chairside/domain';
import Fastify from 'fastify';
import { z } from 'zod';
import type { App, Dependencies } from '../context.ts';
import { loadedOnce, sendCompressed } from './compressed-response.ts';
import { PAGES, type PagePath, renderPage } from './pages.ts';

const config = { access: 'public' } as const;
/**
 * The options of routes whose responses are compressed in advance and have an entity tag. Fastify must not compress
 * them again.
 */
const compressedInAdvance = { config: { ...config, versioned: true }, compress: false } as const;
const tags = ['Reference'];

/** The pages load nothing from other servers, and send nothing to them. */
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
    description:
      'Returns the integrator guide. It explains how to receive webhooks, catch up, poll, retry and stay within the limits.',
  },
  '/docs/limits': {
    operationId: 'getLimitsPage',
    summary: 'Read about the limits',
    description: 'Returns a page with every limit and the effect of exceeding it.',
  },
  '/docs/signatures': {
    operationId: 'getSignaturesPage',
    summary: 'Read about signatures',
    description:
      'Returns a page that explains how webhooks are signed, and how to verify them in any language.',
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

/** The script of the page. Its module takes 40 MB of memory, so it is loaded at the first request. */
const loadScript = async (): Promise<string> => {
  const { default: scalar } = await import('@scalar/fastify-api-reference');
  const holder = Fastify();
  await holder.register(scalar, { routePrefix: '/', configuration: { url: SETTINGS.url } });
  const { body } = await holder.inject('/js/scalar.js');
  await holder.close();
  // The call is on its own line, because the script ends with a comment.
  return `${body}\nScalar.createApiReference('#app', ${JSON.stringify(SETTINGS)});`;
};

/** Registers the routes of the OpenAPI document, of its pages and of the redirects. They need no credentials. */
export const referenceRoutes = (
  app: App,
  { config: { DASHBOARD_URL } }: Pick<Dependencies, 'config'>,
): void => {
  const document = loadedOnce(async () => app.openApi);
  const script = loadedOnce(loadScript);

  app.get(
    '/openapi.json',
    {
      ...compressedInAdvance,
      schema: {
        tags,
        operationId: 'getOpenApiDocument',
        summary: 'Get this document',
        description: 'Returns the OpenAPI 3.1 document of this service.',
        response: {
          200: z.record(z.string(), z.unknown()).meta({ examples: [{ openapi: '3.1.0' }] }),
          304: z.undefined(),
        },
      },
    },
    async (request, reply) => {
      const loaded = await document();
      reply.type('application/json; charset=utf-8').header('Cache-Control', 'no-cache');
      return sendCompressed(request, reply, loaded);
    },
  );

  app.get(
    '/',
    {
      config,
      schema: { hide: true },
    },
    async (_request, reply) => reply.redirect('/docs'),
  );

  app.get(
    '/dashboard',
    {
      config,
      schema: { hide: true },
    },
    async (_request, reply) => {
      if (DASHBOARD_URL === undefined)
        throw new Refusal(
          'NotFound',
          'This service has no dashboard, or its setting DASHBOARD_URL is missing.',
        );
      return reply.redirect(DASHBOARD_URL);
    },
  );

  for (const path of Object.keys(PAGES) as PagePath[]) {
    const page = loadedOnce(() => renderPage(path));
    app.get(
      path,
      {
        ...compressedInAdvance,
        schema: {
          tags,
          ...PAGE_SUMMARIES[path],
          produces: ['text/html'],
        },
      },
      async (request, reply) => {
        const loaded = await page();
        reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).header('Cache-Control', 'no-cache');
        return sendCompressed(request, reply, loaded);
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
        description: 'Returns this document as an HTML page. The page loads nothing from other servers.',
        produces: ['text/html'],
      },
    },
    async (_request, reply) => reply.type('text/html; charset=utf-8').headers(PAGE_HEADERS).send(PAGE),
  );

  app.get(
    '/docs/reference.js',
    {
      ...compressedInAdvance,
      schema: { hide: true },
    },
    async (request, reply) => {
      // An error must not get the headers of the script, which may be cached for a day.
      const loaded = await script();
      reply
        .type('text/javascript; charset=utf-8')
        .header('Cache-Control', 'public, max-age=86400')
        .header('X-Content-Type-Options', 'nosniff');
      return sendCompressed(request, reply, loaded);
    },
  );
};
