import { createServer } from 'node:http';
import { assert, JSON_TYPE } from './judge.mjs';

/** Tests the client over a real socket, on runtimes that have `node:http`. */
export async function judgeSocket({ Chairside }) {
  const server = createServer((request, response) => {
    response.writeHead(200, JSON_TYPE).end(JSON.stringify([{ _id: request.headers.authorization }]));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${server.address().port}`;
  const [row] = await new Chairside({ baseUrl, apiKey: 'secret' }).clinics.list().toArray();
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections?.();
  });
  assert(row._id === 'Basic c2VjcmV0', 'a request over a socket');
  const refused = await new Chairside({ baseUrl, apiKey: 'secret', retry: false }).clinics
    .get('x')
    .catch((error) => error);
  assert(refused.name === 'ConnectionError', 'a connection that is refused');
  return 2;
}
