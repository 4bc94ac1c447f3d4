// app/webhooks/route.ts
import { SignatureError, signatureHeader, unwrap } from '@chairside/signing';

export async function POST(request: Request) {
  try {
    const event = unwrap({
      body: await request.arrayBuffer(),
      header: signatureHeader(request),
      secret: process.env.CHAIRSIDE_WEBHOOK_SECRET, // read here, because `next build` loads this file without it
    });
    console.log(event.event, event.id); // put your work into a queue here, and respond at once
    return new Response(null, { status: 204 });
  } catch (error) {
    if (!(error instanceof SignatureError)) throw error;
    console.warn(error);
    return new Response(error.code, { status: 400 });
  }
}
