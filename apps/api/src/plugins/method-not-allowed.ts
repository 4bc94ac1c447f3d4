import { Refusal } from '@chairside/domain';
import type { FastifyInstance, HTTPMethods } from 'fastify';

const METHODS: readonly HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

/**
 * Answers 405 with `Allow` for a method that a path does not have.
 *
 * @returns call it after the last route
 */
export const methodNotAllowed = (app: FastifyInstance): (() => void) => {
  const methodsOf = new Map<string, Set<HTTPMethods>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsOf.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each as HTTPMethods);
    methodsOf.set(url, methods);
  });

  return () => {
    for (const [url, methods] of [...methodsOf]) {
      const allow = [...methods].sort().join(', ');
      app.route({
        method: METHODS.filter((method) => !methods.has(method)),
        url,
        config: { access: 'public' },
        exposeHeadRoute: false,
        // Before the body is read: a wrong method is told before a wrong body.
        onRequest: async (_request, reply) => {
          reply.header('Allow', allow);
          throw new Refusal('MethodNotAllowed', `This path takes ${allow}.`);
        },
        handler: async () => {},
      });
    }
  };
};
