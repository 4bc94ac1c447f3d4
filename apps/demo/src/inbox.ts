import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

const HOST = '127.0.0.1';
/** The number of mails that are kept, the newest ones. */
const MAX_MAILS = 200;
/** The largest mail, in bytes. */
const MAX_MAIL_BYTES = 1024 * 1024;

/** A mail that has arrived. */
export type InboxMail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The mail as it was sent. */
  raw: string;
  receivedTime: string;
};

export type Inbox = {
  /** The page that lists the mails; `/mails` below it has them as JSON, the newest first. */
  url: string;
  close(): Promise<void>;
};

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => ESCAPES[character] ?? '');
/** The text of a mail with its links, so that one click opens them. */
const linked = (text: string): string =>
  escaped(text).replaceAll(/https?:\/\/\S+/g, (link) => `<a href="${link}">${link}</a>`);

const pageOf = (mails: readonly InboxMail[]): string => {
  const rows = mails.map(
    ({ to, subject, text, receivedTime }) =>
      `<article><h2>${escaped(subject)}</h2><p>To ${escaped(to)}, ${escaped(receivedTime)}</p><pre>${linked(text)}</pre></article>`,
  );
  const body = rows.length === 0 ? '<p>No mail has arrived yet. Reload this page.</p>' : rows.join('\n');
  return `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>Inbox of the demo</title><meta name="viewport" content="width=device-width">
<style>body { font-family: sans-serif; max-width: 44rem; margin: 2rem auto; padding: 0 1rem } pre { white-space: pre-wrap; overflow-wrap: anywhere }</style></head>
<body><h1>Inbox of the demo</h1><p>Every mail that the demo sends arrives here. <a href="/mails">As JSON</a></p>
${body}
</body>
</html>
`;
};

const startMailServer = async (port: number, onMail: (mail: InboxMail) => void): Promise<SMTPServer> => {
  const server = new SMTPServer({
    size: MAX_MAIL_BYTES,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, { envelope }, callback) {
      const take = async (): Promise<void> => {
        const raw = await buffer(stream);
        const { subject = '', text = '', html = '' } = await PostalMime.parse(raw);
        onMail({
          to: envelope.rcptTo.map(({ address }) => address).join(', '),
          ...{ subject, text, html },
          raw: raw.toString('utf8'),
          receivedTime: new Date().toISOString(),
        });
      };
      take().then(
        () => callback(),
        (error: Error) => callback(error),
      );
    },
  });
  // A client that closes its connection at once is no problem of the demo.
  server.on('error', () => {});
  server.listen(port, HOST);
  await once(server.server, 'listening');
  return server;
};

const startPage = async (port: number, mails: readonly InboxMail[]): Promise<Server> => {
  const server = createServer((request, response) => {
    const isJson = request.url === '/mails';
    if (request.method !== 'GET' || !(isJson || request.url === '/')) {
      response.writeHead(404).end();
      return;
    }
    // The links of the mails contain secrets: they are for nobody else.
    const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };
    if (isJson)
      response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(JSON.stringify(mails));
    else response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end(pageOf(mails));
  });
  server.listen(port, HOST);
  await once(server, 'listening');
  return server;
};

/** Starts the mail server of the demo, and the page that lists its mails. */
export const startInbox = async (ports: { inbox: number; smtp: number }): Promise<Inbox> => {
  const mails: InboxMail[] = [];
  const server = await startMailServer(ports.smtp, (mail) => {
    mails.unshift(mail);
    mails.splice(MAX_MAILS);
  });
  const closeServer = () => new Promise<void>((resolve) => server.close(() => resolve()));
  try {
    const page = await startPage(ports.inbox, mails);
    return {
      url: `http://${HOST}:${ports.inbox}`,
      async close() {
        page.close();
        page.closeAllConnections();
        await Promise.all([once(page, 'close'), closeServer()]);
      },
    };
  } catch (error) {
    await closeServer();
    throw error;
  }
};
