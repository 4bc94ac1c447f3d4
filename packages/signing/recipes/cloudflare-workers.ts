import { SignatureError, signatureHeader, unwrap } from '@chairside/signing/web';

export default {
  async fetch(request: Request, env: { CHAIRSIDE_WEBHOOK_SECRET: string }): Promise<Response> {
    try {
      const event = await unwrap({
        body: await request.arrayBuffer(),
        header: signatureHeader(request),
        secret: env.CHAIRSIDE_WEBHOOK_SECRET,
      });
      console.log(event.event, event.id); // put your work into a queue here, and respond at once
      return new Response(null, { status: 204 });
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      console.warn(error);
      return new Response(error.code, { status: 400 });
    }
  },
};
