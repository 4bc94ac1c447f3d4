import { startMailServer, type TakenMail, type TestMailServer } from '@chairside/test-support';
import { openTarget, type Target } from './target.ts';

/** How long a fault waits for a mail to reach a step of SMTP. */
const STEP_WITHIN_MS = 6000;

/** The mail server of a run. It can be killed and keeps its port. */
export type Mails = {
  url: string;
  target: Target;
  /** The mails that were taken, whatever became of the process. */
  taken(): TakenMail[];
  /** Resolves when a mail reaches a step of SMTP, or after six seconds. */
  nextStep(step: string, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
};

export const startMails = async (signal: AbortSignal): Promise<Mails> => {
  let server = await startMailServer();
  const servers: TestMailServer[] = [server];
  const { url, port } = server;
  const end = () => server.close();
  const target = openTarget(
    'mail server',
    {
      kill: end,
      stop: end,
      async start() {
        server = await startMailServer({ security: 'none' }, port);
        servers.push(server);
      },
      send: (toSend) => void process.kill(server.pid, toSend),
    },
    signal,
  );
  return {
    url,
    target,
    taken: () => servers.flatMap(({ mails }) => mails),
    async nextStep(step, ending) {
      const { steps } = server;
      const countOf = () => steps.filter((each) => each === step).length;
      const before = countOf();
      const timeout = AbortSignal.any([ending, AbortSignal.timeout(STEP_WITHIN_MS)]);
      const isOver = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve()));
      // It rejects when the process ends, which another fault may cause.
      await Promise.race([server.until(() => countOf() > before).catch(() => {}), isOver]);
      ending.throwIfAborted();
    },
    close: () => server.close(),
  };
};
