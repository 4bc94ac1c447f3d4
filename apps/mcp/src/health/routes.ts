import { within } from '@chairside/concurrency';
import { sharedCheck } from '@chairside/http-server';
import { BUILD } from '@chairside/startup';
import type { App, Dependencies } from '../context.ts';
import { IntrospectionSecretRefused } from '../introspection.ts';

/** A token that was never issued. The readiness check asks the dashboard about it. */
const NO_TOKEN = 'readiness';
/** Timeout of the check of the database. */
const DATABASE_TIMEOUT_MS = 2500;

export const healthRoutes = (app: App, { schedule, introspection, metrics }: Dependencies): void => {
  /** Rejects if the schedule cannot be read. */
  const readSchedule = async (): Promise<string | undefined> => {
    await schedule.check();
    await schedule.ping();
    return undefined;
  };
  const databaseProblem = async (): Promise<string | undefined> => {
    const read = readSchedule().then(
      () => 'read' as const,
      (error: unknown) => app.log.warn({ err: error }, 'the database cannot be read'),
    );
    return (await within(read, DATABASE_TIMEOUT_MS)) === 'read'
      ? undefined
      : 'The schedule cannot be read. The log has the reason.';
  };
  const introspectionProblem = (): Promise<string | undefined> =>
    introspection.introspect(NO_TOKEN).then(
      () => undefined,
      (error: unknown) => {
        app.log.warn({ err: error }, 'the dashboard does not check access tokens');
        return error instanceof IntrospectionSecretRefused
          ? 'The dashboard refuses INTROSPECTION_SECRET. Set the same secret for both.'
          : 'The dashboard does not check access tokens.';
      },
    );

  const check = sharedCheck(async () => {
    const problems = await Promise.all([databaseProblem(), introspectionProblem()]);
    const [database, tokens] = problems;
    metrics.ready({ database: database === undefined, introspection: tokens === undefined });
    return problems.filter((problem) => problem !== undefined);
  });
  app.decorate('checkReadiness', async () => void (await check()));

  app.get('/health/live', async () => ({ status: 'ok', ...BUILD }));

  app.get('/health/ready', async (_request, reply) => {
    const problems = await check();
    if (problems.length === 0) return { status: 'ok' };
    return reply.status(503).send({ status: 'unavailable', problem: problems.join(' ') });
  });
};
