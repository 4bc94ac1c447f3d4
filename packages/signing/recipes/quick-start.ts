import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

export const server = createServer(async (request, response) => {
  try {
    const event = webhooks.unwrap({ body: await buffer(request), header: signatureHeader(request) });
    console.log(event.event, event.id); // put your work into a queue here, and respond at once
    response.writeHead(204).end();
  } catch (error) {
    if (error instanceof SignatureError) response.writeHead(400).end(error.code);
    else response.writeHead(500).end();
  }
}).listen(process.env.PORT ?? 4000);
