import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';
import express from 'express';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

export const app = express();

// Register this route before any app.use(express.json()), which would consume the raw body.
app.post('/webhooks', express.raw({ type: 'application/json', limit: '1mb' }), (request, response) => {
  try {
    const event = webhooks.unwrap({ body: request.body, header: signatureHeader(request) });
    console.log(event.event, event.id); // put your work into a queue here, and respond at once
    response.sendStatus(204);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    console.warn(error);
    response.status(400).type('text').send(error.code);
  }
});

app.use(express.json());
