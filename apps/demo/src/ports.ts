import { freePort } from '@chairside/processes';
import { port as portSetting } from '@chairside/startup';
import getPort, { clearLockedPorts, portNumbers } from 'get-port';
import { DemoProblem } from './problem.ts';

const HOST = '127.0.0.1';

/**
 * The parts of the demo that listen on a port. Each has the variables that set the port, of which the first takes
 * precedence, and the default port.
 */
const SETTINGS = {
  api: { variables: ['API_PORT', 'PORT'], usual: 3000 },
  dispatcher: { variables: ['HEALTH_PORT'], usual: 3001 },
  receiver: { variables: ['RECEIVER_PORT'], usual: 3002 },
  metrics: { variables: ['METRICS_PORT'], usual: 3003 },
  dashboard: { variables: ['DASHBOARD_PORT'], usual: 3004 },
  dashboardMetrics: { variables: ['DASHBOARD_METRICS_PORT'], usual: 3005 },
  introspection: { variables: ['INTROSPECTION_PORT'], usual: 3006 },
  mcp: { variables: ['MCP_PORT'], usual: 3007 },
  mcpMetrics: { variables: ['MCP_METRICS_PORT'], usual: 3008 },
  inbox: { variables: ['INBOX_PORT'], usual: 3009 },
  smtp: { variables: ['SMTP_PORT'], usual: 3025 },
} as const satisfies Record<string, { variables: readonly string[]; usual: number }>;

/** The port of each part. */
export type Ports = Record<keyof typeof SETTINGS, number>;

const ENTRIES = Object.entries(SETTINGS) as [keyof Ports, (typeof SETTINGS)[keyof Ports]][];

export const PARTS: readonly (keyof Ports)[] = ENTRIES.map(([part]) => part);

/** The variable that sets the port of each part, before any other variable. */
export const PORT_VARIABLES: readonly string[] = ENTRIES.map(([, { variables }]) => variables[0]);

/** The search for a free port begins here, after the default ports of all parts. */
const FIRST_OTHER = 3010;
const LAST_OTHER = 3109;

const given = (environment: NodeJS.ProcessEnv, variables: readonly string[]) => {
  const name = variables.find((variable) => (environment[variable] ?? '') !== '');
  if (name === undefined) return undefined;
  const { data, error } = portSetting.safeParse(environment[name]);
  if (data === undefined) throw new DemoProblem(`${name} ${error?.issues[0]?.message}.`);
  return { name, port: data };
};

const isFree = async (port: number): Promise<boolean> => (await getPort({ port, host: HOST })) === port;

/**
 * The preferred port if it is free, or another one. The parts bind their ports seconds later: by then, an outgoing
 * connection may have a port that the system chooses.
 */
const anyPort = async (preferred: number | undefined, except: readonly number[]): Promise<number> => {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
  for (;;) {
    const port = await freePort();
    if (!except.includes(port)) return port;
  }
};

/**
 * Chooses the ports of a start. If an environment variable sets a port, this port is used or the start fails; 0 means
 * any free port. Without a variable, the port of the last start is used if it is free. A part without an earlier port
 * uses its default if it is free. If the port is not free, the search begins at 3010.
 *
 * @param kept the ports of the last start, or of one that has just failed
 * @param say called with a line for each port that was not free
 * @throws {DemoProblem} if a variable has an invalid value, or names a port that is in use
 */
export const choosePorts = async (
  environment: NodeJS.ProcessEnv,
  kept: Partial<Ports>,
  say: (line: string) => void,
): Promise<Ports> => {
  // get-port does not choose the same port twice within some seconds. Here, a port of an earlier choice may be chosen
  // again.
  clearLockedPorts();
  const chosen: Partial<Ports> = {};
  // The ports from the environment are assigned first, so that no other part gets them.
  for (const [part, { variables }] of ENTRIES) {
    const named = given(environment, variables);
    if (named === undefined) continue;
    if (named.port !== 0 && !(await isFree(named.port))) {
      throw new DemoProblem(
        `Port ${named.port} (${named.name}) is in use. Stop the program that listens there, or set ${named.name} to another port.`,
      );
    }
    chosen[part] = named.port !== 0 ? named.port : await anyPort(kept[part], Object.values(chosen));
  }
  for (const [part, { usual }] of ENTRIES) {
    if (chosen[part] !== undefined) continue;
    const expected = kept[part] ?? usual;
    const port = (await isFree(expected))
      ? expected
      : await getPort({ port: portNumbers(FIRST_OTHER, LAST_OTHER), host: HOST });
    if (port !== expected) say(`port ${expected} is in use: the ${part} uses ${port}`);
    chosen[part] = port;
  }
  return chosen as Ports;
};
