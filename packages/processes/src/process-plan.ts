/** How to start a server, when it is ready, and how to stop it. */
export type ProcessPlan = {
  /** Also the name of its log file. */
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
