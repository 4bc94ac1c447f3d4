import { randomBytes } from 'node:crypto';
import { freePort } from '@chairside/processes';
import { type ServiceProcess, startProcess } from './service-process.ts';
import { startWholeService, type WholeService } from './whole-service.ts';

/** The api, the dispatcher and a receiver, with the dashboard and the connector. */
export type WholeProduct = WholeService & {
  dashboard: ServiceProcess;
  connector: ServiceProcess;
  dashboardUrl: string;
  mcpUrl: string;
};

/** @param options.environment environment variables of every process */
export const startWholeProduct = async (
  redisUrl: string,
  { environment, ...options }: { mongodbUrl?: string; environment: Record<string, string> },
): Promise<WholeProduct> => {
  const secret = randomBytes(32).toString('base64url');
  const ports = await Promise.all([freePort(), freePort(), freePort()]);
  const [dashboardPort, connectorPort, introspectionPort] = ports.map(String) as [string, string, string];
  const dashboardUrl = `http://127.0.0.1:${dashboardPort}`;
  const mcpUrl = `http://127.0.0.1:${connectorPort}/mcp`;
  const service = await startWholeService(redisUrl, {
    ...options,
    environment: { ...environment, PROXY_SECRET: secret, DASHBOARD_URL: dashboardUrl },
  });
  const shared = { ...environment, METRICS_PORT: '0', MONGODB_URL: service.url };
  const dashboard = startProcess('dashboard/server', {
    ...shared,
    PORT: dashboardPort,
    PUBLIC_URL: dashboardUrl,
    API_URL: service.address,
    PROXY_SECRET: secret,
    MCP_URL: mcpUrl,
    OAUTH_KEYS: `test:${randomBytes(32).toString('base64')}`,
    INTROSPECTION_PORT: introspectionPort,
    INTROSPECTION_SECRET: secret,
  });
  const connector = startProcess('mcp', {
    ...shared,
    PORT: connectorPort,
    MCP_URL: mcpUrl,
    AUTHORIZATION_SERVER_URL: dashboardUrl,
    INTROSPECTION_URL: `http://127.0.0.1:${introspectionPort}/introspect`,
    INTROSPECTION_SECRET: secret,
    REDIS_URL: redisUrl,
    REDIS_PREFIX: service.redisPrefix,
  });
  const both = [dashboard, connector];
  await Promise.all(both.map((each) => each.logged(({ msg }) => msg === 'ready')));
  const { close } = service;
  return Object.assign(service, {
    dashboard,
    connector,
    dashboardUrl,
    mcpUrl,
    async close() {
      await Promise.all(both.map((each) => each.end('SIGKILL')));
      await close();
    },
  });
};
