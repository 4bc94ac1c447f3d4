import { Readable } from 'node:stream';
import type { MailAttempt, ResourceLimit } from '@chairside/domain';
import { BOUNDED_TLS, trusting } from '@chairside/network';
import MailComposer from 'nodemailer/lib/mail-composer';
import SMTPConnection from 'nodemailer/lib/smtp-connection';
import type { MailSender } from './settings.ts';
import type { WrittenMail } from './template.ts';

/** How long each step of SMTP may take: a connection, a TLS handshake, a reply. In milliseconds. */
export const STEP_MS = 10_000;
/** How long all steps of an attempt may take together, in milliseconds. */
export const ATTEMPT_MS = 60_000;
/** The longest reply of a mail server, in bytes. */
const MAX_REPLY_BYTES = 64 * 1024;

export const smtpLimits: readonly ResourceLimit[] = [
  {
    id: 'mail_step',
    part: 'Mail',
    resource: 'One step of SMTP: the connection, a TLS handshake, a reply',
    value: STEP_MS / 1000,
    unit: 'seconds',
    beyond: 'the connection is closed and the mail is tried again',
    metric: 'chairside_mail_attempts_total',
  },
  {
    id: 'mail_attempt',
    part: 'Mail',
    resource: 'All steps of SMTP for a mail',
    value: ATTEMPT_MS / 1000,
    unit: 'seconds',
    beyond: 'the connection is closed and the mail is tried again',
    metric: 'chairside_mail_attempts_total',
  },
  {
    id: 'mail_reply',
    part: 'Mail',
    resource: 'One reply of a mail server',
    value: MAX_REPLY_BYTES,
    unit: 'bytes',
    beyond: 'the connection is closed and the mail is tried again',
    metric: 'chairside_mail_attempts_total',
  },
];

/** The part of an attempt that ended it. */
export type MailStep = 'connection' | 'authentication' | 'envelope' | 'message';

/** The result of an attempt. */
export type MailReport = MailAttempt & {
  /** Absent if the mail was sent. */
  step?: MailStep;
  /** The code of the reply that ended the attempt, if there was one. */
  code?: number;
  /**
   * What the mail server replied, or what failed. It may contain addresses, so it is shown only to the person who has
   * entered them, and never logged or stored.
   */
  answer: string;
};

/** Whether the attempt shows that the mail server can be used at all: it let us begin with a mail. */
export const wasReached = ({ step, code }: MailReport): boolean =>
  step !== 'connection' && step !== 'authentication' && code !== AUTHENTICATION_REQUIRED;

/** A mail to send. */
export type OutgoingMail = {
  /** Identifies the mail. Each attempt has the same `Message-ID`, so that a mail server can recognize a repetition. */
  _id: string;
  to: string;
  createdTime: Date;
  written: WrittenMail;
};

export type Mailer = {
  /**
   * Tries once to hand a mail over to the mail server. Takes a minute at most, and never throws for what the mail server
   * does.
   *
   * @param options.mayHandOver called immediately before the message is sent. If it resolves with false, or rejects, nothing
   *   is sent
   * @param options.signal ends the attempt, unless the message has been handed over: then its reply is awaited
   */
  send(
    mail: OutgoingMail,
    options?: { mayHandOver?: () => Promise<boolean>; signal?: AbortSignal },
  ): Promise<MailReport>;
};

export type MailerOptions = MailSender & {
  /** See {@link STEP_MS}. */
  stepMs?: number;
};

/** `530 Authentication required` (RFC 4954, 6): every mail would be refused with it, so it is a fault of the settings. */
const AUTHENTICATION_REQUIRED = 530;

type SmtpError = Error & { responseCode?: number | undefined; response?: string | undefined };

/** The message in its form of RFC 5322. */
const compose = async (from: string, { _id, to, createdTime, written }: OutgoingMail): Promise<Buffer> => {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const { unsubscribe, ...content } = written;
  return new MailComposer({
    from,
    to: { name: '', address: to },
    ...content,
    date: createdTime,
    messageId: `<${_id}@${domain}>`,
    headers: {
      // RFC 3834: programs that answer mails leave this one alone.
      'Auto-Submitted': 'auto-generated',
      // RFC 2369: mail programs offer the page that switches such mails off.
      ...(unsubscribe !== undefined && { 'List-Unsubscribe': `<${unsubscribe}>` }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  })
    .compile()
    .build();
};

const outcomeOf = (step: MailStep, code: number | undefined): MailAttempt['outcome'] => {
  if (step === 'message' && code === undefined) return 'doubtful';
  const isOfMail = step === 'envelope' || step === 'message';
  return isOfMail && code !== undefined && code >= 500 && code !== AUTHENTICATION_REQUIRED
    ? 'refused'
    : 'temporary';
};

/** The logger of the connection. It reads the beginning of each step from the log, and forgets the text. */
const stepLogger = (onStep: () => void) => {
  const log = (entry: unknown): void => {
    const { tnx } = entry as { tnx?: string };
    if (tnx === 'client' || tnx === 'server' || tnx === 'message') onStep();
  };
  return { trace: log, debug: log, info: log, warn: log, error: log, fatal: log };
};

export const openMailer = ({ server, from, certificates, stepMs = STEP_MS }: MailerOptions): Mailer => {
  const secureContext = certificates.length === 0 ? undefined : trusting(certificates);
  const { host, port, security, user } = server;

  const attempt = (
    mail: OutgoingMail,
    message: Buffer,
    { mayHandOver = async () => true, signal }: NonNullable<Parameters<Mailer['send']>[1]>,
  ): Promise<MailReport> =>
    new Promise((resolve) => {
      let step: MailStep = 'connection';
      let stepTimer: NodeJS.Timeout | undefined;
      const beginStep = (): void => {
        clearTimeout(stepTimer);
        stepTimer = setTimeout(() => end(new Error('The mail server does not respond.')), stepMs);
      };
      const connection = new SMTPConnection({
        host,
        port,
        secure: security === 'tls',
        requireTLS: security === 'starttls',
        ignoreTLS: security === 'none',
        tls: { ...BOUNDED_TLS, ...(secureContext && { secureContext }) },
        connectionTimeout: stepMs,
        greetingTimeout: stepMs,
        socketTimeout: stepMs,
        dnsTimeout: stepMs,
        maxResponseSize: MAX_REPLY_BYTES,
        transactionLog: true,
        logger: stepLogger(beginStep),
      });
      const attemptTimer = setTimeout(() => end(new Error('The mail server takes too long.')), ATTEMPT_MS);
      const abort = (): void => {
        if (step !== 'message') end(new Error('The process shuts down.'));
      };
      let isOver = false;
      const stopTimers = (): void => {
        isOver = true;
        signal?.removeEventListener('abort', abort);
        clearTimeout(stepTimer);
        clearTimeout(attemptTimer);
      };
      const end = (error: SmtpError): void => {
        stopTimers();
        const { responseCode: code, response, message: text } = error;
        resolve({
          outcome: outcomeOf(step, code),
          step,
          ...(code !== undefined && { code }),
          answer: response ?? text,
        });
        connection.close();
      };
      const source = new Readable({
        read() {
          const handOver = async (): Promise<void> => {
            const isMine = await mayHandOver();
            // The attempt may have ended meanwhile.
            if (isOver || signal?.aborted || !isMine)
              throw new Error('This process stood still for too long.');
            step = 'message';
            this.push(message);
            this.push(null);
          };
          handOver().catch((error: Error) => this.destroy(error));
        },
      });
      const send = (): void => {
        step = 'envelope';
        const envelope = { from, to: [mail.to], size: message.length };
        connection.send(envelope, source, (error, info) => {
          if (error) return end(error);
          stopTimers();
          // The reply to QUIT changes nothing. `socketTimeout` bounds the wait for it.
          connection.quit();
          resolve({ outcome: 'sent', answer: info?.response ?? '' });
        });
      };

      connection.on('error', end);
      signal?.addEventListener('abort', abort);
      beginStep();
      connection.connect((error) => {
        if (error) return end(error);
        if (user === undefined) return send();
        step = 'authentication';
        connection.login({ credentials: { user: user.name, pass: user.password } }, (refusal) =>
          refusal ? end(refusal) : send(),
        );
      });
    });

  return {
    async send(mail, options = {}) {
      return attempt(mail, await compose(from, mail), options);
    },
  };
};
