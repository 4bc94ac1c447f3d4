import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Refusal } from '@chairside/domain';
import fastifyStatic from '@fastify/static';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Dependencies } from '../context.ts';
import { withoutFrame } from '../http/document.ts';

/** How long a browser keeps an asset. The name of an asset contains a hash of its content. */
const ASSET_LIFE_MS = 365 * 24 * 60 * 60 * 1000;

/** Paths that return 404 if they have no route, even if the browser accepts HTML. */
const NO_PAGES = /^\/(assets\/|session|oauth\/|\.well-known\/)/;

/** The pages without the frame. */
const WITHOUT_FRAME = /^\/(sign-in|first-|invitation|password-reset)/;

const asksForPage = ({ method, headers }: FastifyRequest): boolean =>
  (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html');

/**
 * Serves the built pages. A request for a page gets the same document on every path that has no route and is not in
 * `NO_PAGES`. The router in the document decides what it shows. The document is never cached, so a new release is used
 * at once.
 */
export const pageRoutes = async (
  app: App,
  { pages, cookie }: Pick<Dependencies, 'pages' | 'cookie'>,
): Promise<void> => {
  const file = join(pages, 'index.html');
  let document = readFileSync(file, 'utf8');
  // The document names the files of its build. If the pages are built again while this process runs, those of the build
  // before are gone. During a build there is no document for a moment.
  const sendDocument = async (request: FastifyRequest, reply: FastifyReply) => {
    document = await readFile(file, 'utf8').catch(() => document);
    const hasFrame = cookie.tokenOf(request) !== undefined && !WITHOUT_FRAME.test(request.url);
    return reply.type('text/html; charset=utf-8').send(hasFrame ? document : withoutFrame(document));
  };

  await app.register(fastifyStatic, {
    root: join(pages, 'assets'),
    prefix: '/assets/',
    index: false,
    immutable: true,
    maxAge: ASSET_LIFE_MS,
    cacheControl: true,
    preCompressed: true,
    wildcard: true,
  });
  app.get('/', sendDocument);
  for (const name of ['favicon.svg', 'robots.txt'])
    app.get(`/${name}`, (_request, reply) => reply.sendFile(name, pages));
  app.setNotFoundHandler((request, reply) => {
    if (!asksForPage(request) || NO_PAGES.test(request.url))
      throw new Refusal('NotFound', 'This path does not exist.');
    return sendDocument(request, reply);
  });
};
