import { port as portSetting } from '@chairside/runtime';
import getPort, { portNumbers } from 'get-port';
import { DemoProblem } from './problem.ts';

const HOST = '127.0.0.1';

/** The parts of the demo that listen on a port: the variables that set it, the first first, and the usual port. */
const PARTS = {
  api: { variables: ['API_PORT', 'PORT'], usual: 3000 },
  dispatcher: { variables: ['HEALTH_PORT'], usual: 3001 },
  receiver: { variables: ['RECEIVER_PORT'], usual: 3002 },
  metrics: { variables: ['METRICS_PORT'], usual: 3003 },
} as const satisfies Record<string, { variables: readonly string[]; usual: number }>;

/** The part that each port is of. */
export type Ports = Record<keyof typeof PARTS, number>;

/** Where the search for a free port begins: behind the usual ports of all parts. */
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
 * Chooses the ports of a start. A port that a variable of the environment names is taken or refused. Otherwise it is the
 * port of the last start, else the usual one, else the next free one from 3010 on.
 *
 * @param kept the ports of the last start
 * @param say called with a line when a port is not the one that a user expects
 * @throws {DemoProblem} when a variable names no port, or a port that is taken
 */
export const choosePorts = async (
  environment: NodeJS.ProcessEnv,
  kept: Partial<Ports>,
  say: (line: string) => void,
): Promise<Ports> => {
  const chosen: Partial<Ports> = {};
  // Those that are named first, so that no other part takes them.
  for (const [part, { variables }] of Object.entries(PARTS) as [keyof Ports, (typeof PARTS)[keyof Ports]][]) {
    const named = given(environment, variables);
    if (named === undefined) continue;
    if (named.port !== 0 && !(await isFree(named.port))) {
      throw new DemoProblem(
        `${named.name} is ${named.port}, which is taken. Stop what listens there, or set ${named.name} to another port.`,
      );
    }
    chosen[part] = named.port === 0 ? await getPort({ host: HOST }) : named.port;
  }
  for (const [part, { usual }] of Object.entries(PARTS) as [keyof Ports, (typeof PARTS)[keyof Ports]][]) {
    if (chosen[part] !== undefined) continue;
    const expected = kept[part] ?? usual;
    const port = (await isFree(expected))
      ? expected
      : await getPort({ port: portNumbers(FIRST_OTHER, LAST_OTHER), host: HOST });
    if (port !== expected) say(`port ${expected} is taken: the ${part} uses ${port}`);
    chosen[part] = port;
  }
  return chosen as Ports;
};
