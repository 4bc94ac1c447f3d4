import type { ProcessPlan } from '@chairside/processes';

/** Describes how to run one kind of engine on a folder, any number of times. Sources return it. */
export type EnginePlan = {
  /** The name of the subfolder in a data directory, so that an engine never opens the data of another kind. */
  kind: string;
  /** A text for people: engine, version and origin. */
  description: string;
  url(port: number): string;
  /** Prepares `folder`, which exists and is empty, so that the processes can run on it. */
  layOut(folder: string, signal: AbortSignal): Promise<void>;
  /** The processes in the order in which they start. They are stopped in reverse order. */
  processes(place: Place): ProcessPlan[];
  /**
   * Returns the pid of the server that responds on this port, to check that it is our server.
   *
   * @throws {Error} if no server responds
   */
  runningPid(port: number): Promise<number>;
};

export type Place = {
  folder: string;
  port: number;
  /**
   * False for temporary data. If the engine supports this, such data is written without fsync. Its processes may get
   * less time to stop.
   */
  durable: boolean;
};

/** Returns the same engine with additional arguments, which come before the arguments of each process. */
export function withFirstArguments(plan: EnginePlan, firstArguments: readonly string[]): EnginePlan {
  const processes = (place: Place) =>
    plan
      .processes(place)
      .map((process) => ({ ...process, arguments: [...firstArguments, ...process.arguments] }));
  return { ...plan, processes };
}
