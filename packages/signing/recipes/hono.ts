import { SignatureError, signatureHeader, unwrap } from '@chairside/signing/web';
import { Hono } from 'hono';

export const app = new Hono<{ Bindings: { CHAIRSIDE_WEBHOOK_SECRET: string } }>();

app.post('/webhooks', async (c) => {
  try {
    const event = await unwrap({
      body: await c.req.arrayBuffer(),
      header: signatureHeader(c.req.raw),
      secret: c.env.CHAIRSIDE_WEBHOOK_SECRET,
    });
    console.log(event.event, event.id); // put your work into a queue here, and respond at once
    return c.body(null, 204);
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    console.warn(error);
    return c.text(error.code, 400);
  }
});
