import type { ProcessPlan } from '@chairside/processes';

/** How to run one kind of engine on one folder, again and again. What a source hands over. */
export type EnginePlan = {
  /** Names the sub folder of a data directory, so that no engine ever opens the data of another kind. */
  kind: string;
  /** For people: which engine, which version, from where. */
  description: string;
  url(port: number): string;
  /** Turns `folder`, which exists and is empty, into one that the processes can run on. */
  layOut(folder: string, signal: AbortSignal): Promise<void>;
  /** In the order of starting; they are stopped in reverse. */
  processes(place: Place): ProcessPlan[];
  /** The pid of the server that answers at this port, to be sure that it is ours; throws when none answers. */
  answeringPid(port: number): Promise<number>;
};

export type Place = {
  folder: string;
  port: number;
  /** False for throw-away data: no fsync, no care at the end. */
  durable: boolean;
};

/** The same engine, with these arguments before the own ones of each of its processes. */
export function withFirstArguments(plan: EnginePlan, firstArguments: readonly string[]): EnginePlan {
  const processes = (place: Place) =>
    plan
      .processes(place)
      .map((process) => ({ ...process, arguments: [...firstArguments, ...process.arguments] }));
  return { ...plan, processes };
}
