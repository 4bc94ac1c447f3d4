import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { killAtExit } from '@chairside/processes';
import PostalMime from 'postal-mime';

/** The steps of SMTP at which the server can stop, as it sees them: `DOT` is the end of the message. */
export const mailSteps = ['CONNECT', 'EHLO', 'AUTH', 'MAIL', 'RCPT', 'DATA', 'DOT'] as const;

/** What the server does with the connections that follow. */
export type MailServerBehaviour = {
  /** The step that is refused with this code, if its text contains `containing`. */
  refuse?: {
    at: 'connection' | 'authentication' | 'sender' | 'recipient' | 'message';
    code: number;
    containing?: string;
  };
  /**
   * The step after which the server sends no reply: it hangs, drops the connection, or sends one line of an endless reply
   * every `dripMs`. A message is taken before. Only without TLS.
   */
  stop?: { at: (typeof mailSteps)[number] } & ({ how: 'hang' | 'drop' } | { how: 'drip'; dripMs: number });
};

export type MailServerOptions = {
  security: 'none' | 'starttls' | 'tls';
  /** Required to authenticate. */
  user?: { name: string; password: string };
  /** PEM texts. Required for `starttls` and `tls`. */
  certificate?: { key: string; cert: string };
};

/** A mail that the server has taken. */
export type TakenMail = {
  from: string;
  to: string[];
  raw: string;
  isEncrypted: boolean;
  user?: string | undefined;
  /** When it was taken, in milliseconds since 1970. */
  time: number;
};

export type ToMailServer = { behaviour: MailServerBehaviour };
export type FromMailServer = { port?: number; mail?: Omit<TakenMail, 'time'>; step?: string; isSet?: true };

/** A mail server in a process of its own. */
export type TestMailServer = {
  host: string;
  port: number;
  pid: number;
  url: string;
  /** The mails that the server has taken, in order. */
  mails: TakenMail[];
  /** The steps that clients have reached, in order. Without TLS; with TLS only `CONNECT`. */
  steps: string[];
  /** Resolves when the mails and steps so far satisfy the condition. */
  until(condition: (server: TestMailServer) => boolean): Promise<void>;
  /** Changes what the server does with the connections that follow. */
  behave(behaviour: MailServerBehaviour): Promise<void>;
  /** Ends the process. */
  close(): Promise<void>;
};

/** @param port the port to listen on. Default: any free port */
export const startMailServer = async (
  options: MailServerOptions = { security: 'none' },
  port = 0,
): Promise<TestMailServer> => {
  const program = fileURLToPath(new URL('./mail-server-process.ts', import.meta.url));
  const child = killAtExit(fork(program, [JSON.stringify(options), String(port)], { execArgv: [] }));
  const exited = once(child, 'exit');
  const waiting = new Set<() => void>();
  const look = (): void => {
    for (const each of waiting) each();
  };
  const replies: FromMailServer[] = [];
  const mails: TakenMail[] = [];
  const steps: string[] = [];
  child.on('message', (message: FromMailServer) => {
    if (message.mail !== undefined) mails.push({ ...message.mail, time: Date.now() });
    else if (message.step !== undefined) steps.push(message.step);
    else replies.push(message);
    look();
  });
  const when = (isTrue: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const each = () => {
        if (!isTrue()) return;
        waiting.delete(each);
        resolve();
      };
      waiting.add(each);
      void exited.then(() => reject(new Error('the mail server has ended')));
      each();
    });
  await when(() => replies.length > 0);
  const listening = replies.shift()?.port ?? 0;
  const host = '127.0.0.1';
  const login = options.user && `${options.user.name}:${options.user.password}@`;
  const server: TestMailServer = {
    host,
    port: listening,
    pid: child.pid ?? 0,
    url: `${options.security === 'tls' ? 'smtps' : 'smtp'}://${login ?? ''}${host}:${listening}`,
    mails,
    steps,
    until: (condition) => when(() => condition(server)),
    async behave(behaviour) {
      child.send({ behaviour } satisfies ToMailServer);
      await when(() => replies.length > 0);
      replies.shift();
    },
    async close() {
      child.kill('SIGKILL');
      await exited;
    },
  };
  return server;
};

/** The parts of a mail. */
export const parseMail = async ({ raw }: Pick<TakenMail, 'raw'>) => {
  const { subject = '', text = '', html = '', messageId = '', headers } = await PostalMime.parse(raw);
  return { subject, text, html, messageId, headers };
};
