import type { DemoFacts } from './data-folder.ts';
import type { Ports } from './ports.ts';

/** The addresses of the parts. The address of the receiver is known only when the receiver listens. */
export type Addresses = Omit<Record<keyof Ports, string>, 'receiver'>;

export const addressesOf = (ports: Ports): Addresses => {
  const at = (port: number, host = '127.0.0.1'): string => `http://${host}:${port}`;
  return {
    api: at(ports.api),
    dispatcher: at(ports.dispatcher),
    metrics: at(ports.metrics),
    // Passkeys belong to a name, not to a number.
    dashboard: at(ports.dashboard, 'localhost'),
    dashboardMetrics: at(ports.dashboardMetrics),
    introspection: at(ports.introspection),
    mcp: `${at(ports.mcp)}/mcp`,
    mcpMetrics: at(ports.mcpMetrics),
    inbox: at(ports.inbox),
    smtp: `smtp://127.0.0.1:${ports.smtp}`,
  };
};

/** The ports of the last start. */
export const portsOf = (facts: DemoFacts | undefined): Partial<Ports> => {
  const { api, dispatcher, receiver, metrics, dashboard, dashboardMetrics } = facts ?? {};
  const { mcp, mcpMetrics, introspection, inbox, smtp } = facts ?? {};
  const urls = { api, dispatcher, receiver, metrics, dashboard, dashboardMetrics };
  return Object.fromEntries(
    Object.entries({ ...urls, mcp, mcpMetrics, introspection, inbox, smtp }).flatMap(([part, url]) =>
      url === undefined ? [] : [[part, Number(new URL(url).port)]],
    ),
  );
};
