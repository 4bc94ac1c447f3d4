import { createServer, type IncomingMessage } from 'node:http';
import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

export const server = createServer(async (request, response) => {
  try {
    const body = await readBytes(request, 1_000_000);
    const event = webhooks.unwrap({ body, header: signatureHeader(request) });
    console.log(event.event, event.id); // put your work into a queue here, and respond at once
    response.writeHead(204).end();
  } catch (error) {
    console.warn(error);
    if (error instanceof SignatureError) response.writeHead(400).end(error.code);
    else response.writeHead(500).end();
  }
});

async function readBytes(request: IncomingMessage, limit: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > limit) throw new Error('The body is too large.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
