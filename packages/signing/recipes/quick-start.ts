import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createVerifier, signatureHeader } from '@chairside/signing';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

export const server = createServer(async (request, response) => {
  try {
    const event = webhooks.unwrap({ body: await buffer(request), header: signatureHeader(request) });
    console.log(event.event, event.id); // put your work into a queue here
    response.writeHead(204).end();
  } catch {
    response.writeHead(400).end(); // not sent by Chairside, changed on the way, or too old
  }
});
