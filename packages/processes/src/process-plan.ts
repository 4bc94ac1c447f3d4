/** Describes how to start a server, how to detect that it is ready, and how to stop it. */
export type ProcessPlan = {
  /** The name of the server, which is also the name of its log file. */
  name: string;
  command: string;
  arguments: string[];
  /** Default: the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Called every few milliseconds while the server starts, until it returns true. */
  isReady(pid: number): Promise<boolean>;
  stop: StopSteps;
};

/**
 * The signals to send in order, each with the time to wait for the server to exit, in milliseconds. If the server still
 * runs after the last signal, SIGKILL follows.
 */
export type StopSteps = readonly { signal: NodeJS.Signals; withinMs: number }[];
