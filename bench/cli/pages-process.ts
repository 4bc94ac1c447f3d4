// Serves a list of patients as the api does, from memory, so that neither the api nor the database is the slowest part.
// Sends its address to its parent, and ends with it.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { newId } from '@chairside/domain';
import { patientFields } from '../patient.ts';
import { PAGE, PATIENTS } from './sizes.ts';

const lastEditTime = new Date().toISOString();
const pages = Array.from({ length: PATIENTS / PAGE }, () =>
  Buffer.from(
    JSON.stringify(
      Array.from({ length: PAGE }, () => ({ _id: newId(), ...patientFields('clinic'), lastEditTime })),
    ),
  ),
);

const server = createServer(({ url = '' }, response) => {
  const index = Number(new URL(url, 'http://localhost').searchParams.get('cursor') ?? 0);
  const next = index + 1;
  response.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    ...(next < pages.length && {
      'X-Next-Cursor': String(next),
      Link: `</api/patients?limit=${PAGE}&cursor=${next}>; rel="next"`,
    }),
  });
  response.end(pages[index]);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.on('disconnect', () => process.exit());
process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
