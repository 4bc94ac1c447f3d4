// Run with: npm install @chairside/signing && CHAIRSIDE_WEBHOOK_SECRET=whsec_... node receiver.mjs
import { createServer } from 'node:http';
import { createVerifier, SignatureError } from '@chairside/signing';

const LIMIT = 1024 * 1024;

/** One secret, or several with commas between them. Without a valid secret, the receiver does not start. */
const webhooks = (() => {
  try {
    return createVerifier({ secret: (process.env.CHAIRSIDE_WEBHOOK_SECRET ?? '').split(',') });
  } catch (error) {
    console.error(`CHAIRSIDE_WEBHOOK_SECRET: ${error.message}`);
    process.exit(1);
  }
})();

const server = createServer(async (request, response) => {
  const respond = (status, text = '', headers = {}) =>
    response.writeHead(status, { 'Content-Type': 'text/plain', ...headers }).end(text);
  try {
    if (request.url.split('?')[0] !== '/webhooks') return respond(404);
    if (request.method !== 'POST') return respond(405, '', { Allow: 'POST' });
    const body = await readBody(request);
    if (body.length > LIMIT) return respond(413, '', { Connection: 'close' });

    // `request.headers` joins repeated headers, so count them here.
    const header = request.headersDistinct['x-service-signature'];
    if (header?.length > 1) return respond(400, 'malformed_header');
    const event = webhooks.unwrap({ body, header });

    // Put the event into a queue here, and respond at once. An event can arrive twice: process each event.id once.
    console.log(event.event, event.id);
    return response.writeHead(204).end();
  } catch (error) {
    console.warn(error);
    return error instanceof SignatureError ? respond(400, error.code) : respond(500);
  }
});
server.listen(process.env.PORT ?? 3000, '127.0.0.1');

/** Returns the received bytes. It stops after the first chunk beyond the limit. */
async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > LIMIT) break;
  }
  return Buffer.concat(chunks);
}
