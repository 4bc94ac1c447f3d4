import { mkdir, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { freePort } from '@chairside/processes';
import {
  type DebianPackage,
  startWholeService,
  testEngines,
  unpackDebianPackage,
  type WholeService,
} from '@chairside/test-support';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Chairside } from '../src/index.ts';

/* Tests the client through an nginx that compresses responses, and so makes their entity tags weak. */

let service: WholeService;
let nginx: DebianPackage;
let address: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  service = await startWholeService(testEngines().redisUrl, { dispatcher: false });
  nginx = await unpackDebianPackage('nginx');
  const { folder } = nginx;
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  await mkdir(join(folder, 'logs'));
  const settings = `
    daemon off; master_process off; pid ${folder}/pid; error_log stderr;
    events {}
    http {
      access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      gzip on; gzip_min_length 1; gzip_proxied any; gzip_types application/json;
      server {
        listen 127.0.0.1:${port};
        location / { proxy_pass ${service.address}; proxy_set_header Accept-Encoding ""; }
      }
    }`;
  await writeFile(join(folder, 'nginx.conf'), settings);
  ({ stop } = await nginx.start('usr/sbin/nginx', ['-p', folder, '-c', 'nginx.conf'], port));
});
afterAll(async () => {
  await stop();
  await service.close();
  await nginx.remove();
});

/** The tag and the coding of a response, which `fetch` decodes. */
const headersOf = (path: string): Promise<{ etag: unknown; coding: unknown }> =>
  new Promise((resolve, reject) => {
    const authorization = `Basic ${btoa(service.practice.apiKey)}`;
    request(address + path, { headers: { authorization, 'accept-encoding': 'gzip' } }, (response) => {
      response.resume();
      resolve({ etag: response.headers.etag, coding: response.headers['content-encoding'] });
    })
      .on('error', reject)
      .end();
  });

test('edit, update and delete work with the weak tags of nginx', async () => {
  const chairside = new Chairside({ baseUrl: address, apiKey: service.practice.apiKey, retry: false });
  const [clinicId] = service.practice.clinicIds;
  const { _id } = await chairside.patients.create({ clinicId, name: 'Ada' });
  expect(await headersOf(`/api/patients/${_id}`)).toEqual({ etag: 'W/"1"', coding: 'gzip' });

  const edited = await chairside.patients.edit(_id, ({ name }) => ({ name: `Dr. ${name}` }));
  expect(edited.name).toBe('Dr. Ada');
  const read = await chairside.patients.get(_id).withResponse();
  expect(read.response.etag).toBe('W/"2"');
  await chairside.patients.update(_id, { language: 'de' }, { ifMatch: read.response.etag });
  await expect(
    chairside.patients.update(_id, { language: 'en' }, { ifMatch: read.response.etag }),
  ).rejects.toMatchObject({ name: 'PreconditionFailed' });
  const last = await chairside.patients.get(_id).withResponse();
  await chairside.patients.delete(_id, { ifMatch: last.response.etag });
  await expect(chairside.patients.get(_id)).rejects.toMatchObject({ name: 'NotFound' });
});
