/** The data is either kept in a directory or deleted when the engine stops. */
export type Keeping =
  | {
      /** The directory of the data, with a subfolder for each kind of engine. Created if missing. */
      dataDirectory: string;
      ephemeral?: false;
    }
  | {
      /**
       * The data is deleted at `stop` or when this process ends in any way. If the engine supports this, it is written
       * without fsync.
       */
      ephemeral: true;
      dataDirectory?: never;
    };

export type EngineOptions = Keeping & {
  /**
   * The directory for downloads and builds. Default: $CHAIRSIDE_CACHE_DIR, otherwise `chairside` in the user's cache
   * folder.
   */
  cacheDirectory?: string;
  /** Default: process.env. */
  environment?: NodeJS.ProcessEnv;
  /** Called with one line of text for each step that takes time. */
  onProgress?: (line: string) => void;
  /** Aborts the search and the start. Processes that have already started are stopped. */
  signal?: AbortSignal;
};

/** A MongoDB or a Redis that listens at `url`. */
export type Engine = {
  readonly url: string;
  /** A description with engine, version and origin, such as "MongoDB 8.2.6 (cached)". */
  readonly source: string;
  /** False for a server from `MONGODB_URL` or `REDIS_URL`. It is never stopped, killed or wiped. */
  readonly started: boolean;
  /** The pids of the running processes, in the order of their start. Empty for a given URL. */
  readonly pids: readonly number[];
  /**
   * Stops all processes within about 4 s, and deletes ephemeral data. Does nothing for a given URL. The call may be
   * repeated.
   */
  stop(): Promise<void>;
  /**
   * Sends SIGKILL, as in a crash, and resolves when the processes have ended.
   *
   * @throws {LocalServicesError} `NOT_OURS` for a given URL
   */
  kill(): Promise<void>;
  /**
   * Stops all processes in an orderly way, within about 4 s, and keeps the data.
   *
   * @throws {LocalServicesError} `NOT_OURS` for a given URL
   */
  halt(): Promise<void>;
  /**
   * Starts the engine again after `kill` or `halt`, with the same URL and the same data (Redis keeps none).
   *
   * @throws {LocalServicesError} `NOT_OURS` for a given URL, and `ENGINE_FAILED` if the engine does not start
   */
  resume(): Promise<void>;
};

/** The names of the engines, which are also the names of the subfolders in the data directory of `startEngines`. */
export const ENGINE_NAMES = ['mongodb', 'redis'] as const;

export type EngineName = (typeof ENGINE_NAMES)[number];

export type Engines = { readonly [name in EngineName]: Engine } & {
  /** Stops both engines at the same time. */
  stop(): Promise<void>;
};
