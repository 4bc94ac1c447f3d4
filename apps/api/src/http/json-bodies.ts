import { Refusal } from '@chairside/domain';
import { parse } from 'content-type';
import type { FastifyInstance } from 'fastify';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Names of UTF-8 in a content type; a content type without a charset means UTF-8 too (RFC 8259, 8.1). */
const UTF_8: readonly (string | undefined)[] = [undefined, 'utf-8', 'utf8'];

/**
 * Accepts JSON bodies in UTF-8 only, without a content coding. A DELETE may name the content type and send no body.
 *
 * Refuses another charset with 415, and bytes that are not UTF-8 with 400. If such bytes were replaced by U+FFFD,
 * damaged names would be stored.
 */
export const jsonBodies = (app: FastifyInstance): void => {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0 && request.method === 'DELETE') return done(null, undefined);
    let text: string;
    try {
      text = utf8.decode(body as Buffer);
    } catch {
      return done(new Refusal('BadRequest', 'The body is not valid UTF-8. Encode it as UTF-8.'));
    }
    return parseJson(request, text, done);
  });
  app.addHook('preParsing', ({ method, headers }, _reply, payload, done) => {
    const hasBody = method !== 'GET' && method !== 'HEAD';
    // Names of codings are case-insensitive (RFC 9110, section 8.4.1).
    const coding = headers['content-encoding']?.toLowerCase() ?? 'identity';
    const { charset } = parse(headers['content-type'] ?? '').parameters;
    if (!hasBody) done(null, payload);
    else if (!UTF_8.includes(charset?.toLowerCase()))
      done(
        new Refusal(
          'UnsupportedMediaType',
          'The charset of the body must be utf-8. Encode the body as UTF-8.',
        ),
      );
    else if (coding === 'identity') done(null, payload);
    else
      done(
        new Refusal(
          'UnsupportedMediaType',
          'This API does not accept compressed bodies. Send the body without the header Content-Encoding.',
        ),
      );
  });
};
