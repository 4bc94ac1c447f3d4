/*
 * A mail server for tests, started by mail-server.ts: smtp-server behind a proxy that can stop at each step of SMTP.
 */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { SMTPServer } from 'smtp-server';
import type { FromMailServer, MailServerBehaviour, MailServerOptions, ToMailServer } from './mail-server.ts';

const { security, user, certificate } = JSON.parse(process.argv[2] ?? '{}') as MailServerOptions;
let behaviour: MailServerBehaviour = {};
const tell = (message: FromMailServer): void => void process.send?.(message);

type Place = NonNullable<MailServerBehaviour['refuse']>['at'];
const refusal = (at: Place, text = ''): (Error & { responseCode: number }) | null => {
  const { refuse } = behaviour;
  if (refuse === undefined || refuse.at !== at || !text.includes(refuse.containing ?? '')) return null;
  return Object.assign(new Error(`refused ${text}`), { responseCode: refuse.code });
};

const server = new SMTPServer({
  secure: security === 'tls',
  ...(certificate && { key: certificate.key, cert: certificate.cert }),
  ...(security === 'none' && { disabledCommands: ['STARTTLS'] }),
  authOptional: user === undefined,
  allowInsecureAuth: security === 'none',
  disableReverseLookup: true,
  onConnect: (_session, callback) => callback(refusal('connection')),
  onAuth(auth, _session, callback) {
    const isRight = auth.username === user?.name && auth.password === user?.password;
    if (isRight && refusal('authentication') === null) callback(null, { user: auth.username });
    else callback(refusal('authentication') ?? Object.assign(new Error('wrong'), { responseCode: 535 }));
  },
  onMailFrom: ({ address }, _session, callback) => callback(refusal('sender', address)),
  onRcptTo: ({ address }, _session, callback) => callback(refusal('recipient', address)),
  onData(stream, session, callback) {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const refused = refusal('message');
      const { mailFrom, rcptTo } = session.envelope;
      if (refused === null)
        tell({
          mail: {
            from: mailFrom === false ? '' : mailFrom.address,
            to: rcptTo.map(({ address }) => address),
            raw: Buffer.concat(chunks).toString('utf8'),
            isEncrypted: session.secure,
            user: session.user,
          },
        });
      callback(refused);
    });
  },
});
// A client that closes its connection at once is no error of a test.
server.on('error', () => {});

const proxy = createServer(async (client) => {
  const inner = connect((server.server.address() as AddressInfo).port, '127.0.0.1');
  const { stop } = behaviour;
  const sockets: Socket[] = [client, inner];
  for (const socket of sockets) socket.on('error', () => {});
  client.on('close', () => inner.destroy());
  inner.on('close', () => client.end());
  let isStopped = false;
  const end = (): void => {
    isStopped = true;
    if (stop?.how === 'drop') client.destroy();
    if (stop?.how !== 'drip') return;
    // One more line of a reply that never ends.
    const timer = setInterval(() => client.write('250-wait\r\n'), stop.dripMs);
    client.on('close', () => clearInterval(timer));
  };
  const reach = (step: string): void => {
    tell({ step });
    if (stop?.at === step) end();
  };
  reach('CONNECT');
  let isMessage = false;
  let hasEnded = false;
  inner.on('data', (chunk) => {
    if (hasEnded) reach('DOT');
    hasEnded = false;
    if (!isStopped) client.write(chunk);
  });
  if (security !== 'none') {
    client.pipe(inner);
    return;
  }
  let rest = '';
  client.on('data', (chunk) => {
    const lines = (rest + chunk.toString('latin1')).split('\r\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (isStopped) return;
      if (isMessage) {
        // The end of the message is reached when the server has taken it. Then only its reply can be lost.
        hasEnded = line === '.';
        isMessage = !hasEnded;
      } else {
        isMessage = line.toUpperCase() === 'DATA';
        reach((line.split(' ')[0] ?? '').toUpperCase());
      }
      if (!isStopped) inner.write(`${line}\r\n`, 'latin1');
    }
  });
});

process.on('message', (message: ToMailServer) => {
  behaviour = message.behaviour;
  tell({ isSet: true });
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1');
await once(server.server, 'listening');
proxy.listen(Number(process.argv[3] ?? 0), '127.0.0.1');
await once(proxy, 'listening');
tell({ port: (proxy.address() as AddressInfo).port });
