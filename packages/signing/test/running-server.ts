import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, isListening } from '@chairside/processes';
import { expect } from 'vitest';

export interface RunningServer {
  port: number;
  /** Everything that the server has written. */
  output(): string;
  stop(): Promise<void>;
}
type Command = [string, ...string[]];
interface Options {
  cwd: string;
  /** The value of CHAIRSIDE_WEBHOOK_SECRET; undefined if it is not set. */
  secret: string | undefined;
  /** Returns the command that serves on the port. */
  command(port: string): Command;
}

/** Starts a receiver on a free port. Returns its exit code and its output instead if it ends before it listens. */
export async function startServer(
  options: Options,
): Promise<RunningServer | { exitCode: number | null; output: string }> {
  const port = await freePort();
  const [program, ...args] = options.command(String(port));
  const { CHAIRSIDE_WEBHOOK_SECRET: _, ...environment } = process.env;
  const child = spawn(program, args, {
    cwd: options.cwd,
    env: {
      ...environment,
      PORT: String(port),
      PYTHONDONTWRITEBYTECODE: '1',
      NODE_OPTIONS: '',
      ...(options.secret !== undefined && { CHAIRSIDE_WEBHOOK_SECRET: options.secret }),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output += chunk;
    });
  const ended = once(child, 'close');
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  await expect
    .poll(async () => hasEnded() || (await isListening(port)), { interval: 20, message: output })
    .toBe(true);
  if (hasEnded()) {
    await ended;
    return { exitCode: child.exitCode, output };
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { port, output: () => output, stop };
}
