import { Refusal } from '@chairside/domain';
import type { FastifyInstance } from 'fastify';

/** Bodies are JSON as it is, and nothing else. A DELETE may name the type and send none. */
export const jsonBodies = (app: FastifyInstance): void => {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) => {
    if (body === '' && request.method === 'DELETE') return done(null, undefined);
    return parse(request, body as string, done);
  });
  app.addHook('preParsing', ({ method, headers }, _reply, payload, done) => {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    // Names of codings know no case (RFC 9110, 8.4.1).
    const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
    if (!hasBody || coding === 'identity') done(null, payload);
    else done(new Refusal('UnsupportedMediaType', 'Send the body as it is, without Content-Encoding.'));
  });
};
