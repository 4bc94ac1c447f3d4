import { sharedCheck } from '@chairside/http-server';
import { BUILD } from '@chairside/startup';
import type { App, Dependencies } from '../context.ts';

/** Describes the problem that the status of the api's readiness check shows; undefined if there is none. */
const problemOf = (status: number): string | undefined => {
  if (status === 200) return undefined;
  if (status === 403) return 'The api refuses PROXY_SECRET. Set the same secret for both.';
  return 'The api is not ready.';
};

export const healthRoutes = (app: App, { api, metrics }: Dependencies): void => {
  const check = sharedCheck(async () => {
    const problem = await api.readiness().then(problemOf, (error: unknown) => {
      app.log.warn({ err: error }, 'the api does not respond');
      return 'The api does not respond.';
    });
    metrics.apiReady(problem === undefined);
    return problem;
  });
  app.decorate('checkReadiness', async () => void (await check()));

  app.get('/health/live', async () => ({ status: 'ok', ...BUILD }));

  app.get('/health/ready', async (_request, reply) => {
    const problem = await check();
    if (problem === undefined) return { status: 'ok' };
    return reply.status(503).send({ status: 'unavailable', problem });
  });
};
