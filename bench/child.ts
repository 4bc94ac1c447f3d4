import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A process of the bench that responds to each message with one message. */
export type Child<Question, Reply> = {
  pid: number;
  /** Sends a message and resolves with the response. Only one message may be in flight. */
  ask(question: Question): Promise<Reply>;
  stop(): void;
};

/**
 * Starts a process of the bench and waits for its first message.
 *
 * @param path the file that the process runs; the process must end when its parent disconnects
 * @returns the process and its first message
 */
export const startChild = async <Hello, Question extends object, Reply>(
  path: string,
  args: readonly string[] = [],
): Promise<{ child: Child<Question, Reply>; hello: Hello }> => {
  const process: ChildProcess = fork(path, args);
  const ended = once(process, 'exit').then(([code]) => {
    throw new Error(`${path} ended with ${code}`);
  });
  // The failure is reported to the caller that waits for a response.
  ended.catch(() => {});
  const respond = async () => (await Promise.race([once(process, 'message'), ended]))[0];
  const hello = (await respond()) as Hello;
  return {
    hello,
    child: {
      pid: process.pid as number,
      async ask(question) {
        if (!process.connected) return ended;
        process.send(question);
        return (await respond()) as Reply;
      },
      stop: () => void process.kill(),
    },
  };
};
