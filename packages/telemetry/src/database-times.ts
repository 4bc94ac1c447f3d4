/** Receives the times of the database from its client. */
export type DatabaseTimes = {
  /**
   * A command has ended.
   *
   * @param name the name of the command, such as `find`
   * @param durationMs from sending it to its response
   */
  commandEnded(name: string, durationMs: number): void;
  /** An operation has got a connection. @param waitMs how long it has waited for it */
  connectionTaken(waitMs: number): void;
};
