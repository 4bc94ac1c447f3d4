/** Describes how to start a server, how to detect that it is ready, and how to stop it. */
export type ProcessPlan = {
  /** The name of the server and of its log file. */
  name: string;
  command: string;
  arguments: string[];
  /** Default: the environment of this process. */
  environment?: NodeJS.ProcessEnv;
  /** Called every few milliseconds while the server starts, until it returns true. */
  isReady(pid: number): Promise<boolean>;
  stop: StopSteps;
};

/** Signals to send in turn, each with the milliseconds to wait for the server to exit. SIGKILL follows the last. */
export type StopSteps = readonly { signal: NodeJS.Signals; withinMs: number }[];
