import { Refusal } from '@chairside/domain';
import { acceptedSecrets, plainAddress } from '@chairside/http-server';
import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The address of the caller: the address of the connection, or the forwarded address if a trusted proxy or the
     * dashboard forwards the request. Limits, sessions and audit entries use it.
     */
    callerAddress: string;
    /** Whether the dashboard has forwarded the request. */
    isForwarded: boolean;
  }
}

const SECRET_HEADER = 'x-proxy-secret';

/** Returns the only address in `X-Forwarded-For`. Without this header, the dashboard itself is the caller. */
const forwardedAddress = ({ headers, ip }: FastifyRequest): string => {
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined) return ip;
  const address = plainAddress(String(forwarded));
  if (address !== undefined) return address;
  throw new Refusal(
    'BadRequest',
    'With X-Proxy-Secret, the header X-Forwarded-For must have exactly one IP address. A proxy between the dashboard and the api must not change it.',
  );
};

/**
 * Sets `request.callerAddress`. A request with one of the secrets in `X-Proxy-Secret` comes from the dashboard, which
 * forwards the address of the person. Such a request is trusted wherever it comes from. A wrong secret is refused, so
 * that a wrong configuration is noticed. The header is removed, so that nothing can log it.
 *
 * @param secrets the accepted secrets; with none, every secret is wrong
 */
export const callerAddress = (app: FastifyInstance, secrets: readonly string[]): void => {
  const isAccepted = acceptedSecrets(secrets);

  app.decorateRequest('callerAddress', '');
  app.decorateRequest('isForwarded', false);
  app.addHook('onRequest', async (request) => {
    const secret = request.headers[SECRET_HEADER];
    if (secret === undefined) {
      request.callerAddress = request.ip;
      return;
    }
    delete request.headers[SECRET_HEADER];
    if (!isAccepted(String(secret))) {
      throw new Refusal(
        'Forbidden',
        'The X-Proxy-Secret is wrong. Set PROXY_SECRET of the api and of the dashboard to the same value.',
        { details: { wrongProxySecret: true } },
      );
    }
    request.callerAddress = forwardedAddress(request);
    request.isForwarded = true;
  });
};
