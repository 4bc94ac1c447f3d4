/** Where the data is: kept in a directory, or thrown away when the engine stops. */
export type Keeping =
  | {
      /** Kept here, in a sub folder for each kind of engine. Made when missing. */
      dataDirectory: string;
      ephemeral?: false;
    }
  | {
      /** Thrown away at `stop`, or when this process ends in any way; written without fsync. */
      ephemeral: true;
      dataDirectory?: never;
    };

export type EngineOptions = Keeping & {
  /** For downloads and builds. Default: $CHAIRSIDE_CACHE_DIR, else `chairside` in the user's cache folder. */
  cacheDirectory?: string;
  /** Default: process.env. */
  environment?: NodeJS.ProcessEnv;
  /** Called with one line of text for each step that takes time. */
  onProgress?: (line: string) => void;
  /** Ends the search and the start; what was started by then is stopped again. */
  signal?: AbortSignal;
};

/** A MongoDB or a Redis that answers at `url`. */
export type Engine = {
  readonly url: string;
  /** Which engine, of what version, from where: "MongoDB 8.2.6 (cached)". */
  readonly source: string;
  /** False for a given URL: such an engine is never stopped, killed or wiped. */
  readonly started: boolean;
  /** The processes that run now, in the order they were started. Empty for a given URL. */
  readonly pids: readonly number[];
  /** Ends all processes in an orderly way, within about 4 s; throws away ephemeral data. May be called again. */
  stop(): Promise<void>;
  /** SIGKILL, as in a crash, and resolves once the processes are gone. Throws `NOT_OURS` for a given URL. */
  kill(): Promise<void>;
  /** Ends all processes in an orderly way, within about 4 s, and keeps the data. Throws `NOT_OURS` for a given URL. */
  halt(): Promise<void>;
  /**
   * Starts again after `kill` or `halt`: same URL, same data (Redis keeps none).
   * Throws `NOT_OURS` for a given URL, `ENGINE_FAILED` when it does not come back.
   */
  resume(): Promise<void>;
};

/** Also the names of the sub folders in the data directory of `startEngines`. */
export const ENGINE_NAMES = ['mongodb', 'redis'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

export type Engines = { readonly [name in EngineName]: Engine } & {
  /** Stops both, side by side. */
  stop(): Promise<void>;
};
