import { type App, profiling, startApp, startServer } from '../apps.ts';
import { peakMemory } from '../processes.ts';
import type { Ground } from './ground.ts';
import type { Ground as SameWorkGround } from './same-work-process.ts';

/** A service that accepts patients over HTTP and delivers their events. */
export type Contestant = {
  name: string;
  /** The URL to which patients are POSTed. */
  url: string;
  /** The processes of this service, by name. */
  processes: Readonly<Record<string, number>>;
};

/** The api and the dispatcher, built as for a deployment. */
export type Chairside = Contestant & {
  api: App;
  dispatcher: App;
  /** Stops the api and the dispatcher. */
  stop(): Promise<void>;
};

/** Raises the limit of event bytes of an organization, so that the load does not reach it. */
const NO_BYTE_LIMIT = { EVENT_BYTES_PER_MINUTE: String(2 ** 40) };

const pathOf = (app: App): string => `${app.url}/api/patients`;

/** Starts an app on the practice of this bench. */
export const startOn = async (
  { service, running }: Ground,
  name: 'api' | 'webhook-dispatcher',
  environment: Readonly<Record<string, string>> = {},
): Promise<App> => {
  const app = await startApp(name, { ...service.environment, ...NO_BYTE_LIMIT, ...environment }, profiling());
  running.defer(() => app.stop());
  return app;
};

/** @param environment overrides the settings of the service */
export const startChairside = async (
  ground: Ground,
  environment: Readonly<Record<string, string>> = {},
): Promise<Chairside> => {
  const api = await startOn(ground, 'api', environment);
  const dispatcher = await startOn(ground, 'webhook-dispatcher', environment);
  return {
    name: 'Chairside',
    url: pathOf(api),
    processes: { api: api.pid, dispatcher: dispatcher.pid },
    api,
    dispatcher,
    stop: async () => void (await Promise.all([api.stop(), dispatcher.stop()])),
  };
};

/** Starts the minimal implementation of the same work, with its own collection. */
export const startSameWork = async ({
  service,
  receiver,
  clinics,
  running,
}: Ground): Promise<Contestant & { app: App }> => {
  const countOf = Object.fromEntries(
    Object.entries(clinics).map(([count, clinicId]) => [clinicId, Number(count)]),
  );
  const settings: SameWorkGround = {
    mongodbUrl: service.environment.MONGODB_URL ?? '',
    receiverUrl: receiver.url,
    clinics: countOf,
  };
  const script = 'bench/end-to-end/same-work-process.ts';
  const app = await startServer(
    ['--conditions=@chairside/source', script, JSON.stringify(settings)],
    'PORT',
    {},
  );
  running.defer(() => app.stop());
  return { name: 'same work', url: pathOf(app), processes: { 'same work': app.pid }, app };
};

/** The highest resident memory of api and dispatcher since their start or the last reset, in MiB. */
export const memoryOf = ({ api, dispatcher }: Chairside): { api: number; dispatcher: number } => ({
  api: peakMemory(api.pid),
  dispatcher: peakMemory(dispatcher.pid),
});
