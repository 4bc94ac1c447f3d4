import { createVerifier, SignatureError, signatureHeader } from '@chairside/signing';
import Fastify from 'fastify';

const webhooks = createVerifier({ secret: process.env.CHAIRSIDE_WEBHOOK_SECRET });

export const app = Fastify();

app.register(async (scope) => {
  // Applies to this scope only. Your other routes keep their JSON parser.
  scope.removeContentTypeParser('application/json');
  scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
    done(null, body),
  );

  scope.post<{ Body: Buffer }>('/webhooks', async (request, reply) => {
    try {
      const event = webhooks.unwrap({ body: request.body, header: signatureHeader(request) });
      console.log(event.event, event.id); // put your work into a queue here, and respond at once
      return reply.code(204).send();
    } catch (error) {
      if (!(error instanceof SignatureError)) throw error;
      request.log.warn(error);
      return reply.code(400).send(error.code);
    }
  });
});
