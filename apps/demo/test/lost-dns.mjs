/*
 * Replaces the name lookup of a process that is started with `--import` of this module. Each name that ends with `.test`
 * leads to this machine, and while the file LOST_DNS exists, no name server responds.
 */

import dns from 'node:dns/promises';
import { existsSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const { lookup } = dns;
dns.lookup = async (name, options) => {
  if (!name.endsWith('.test')) return lookup(name, options);
  if (existsSync(process.env.LOST_DNS))
    throw Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' });
  return lookup('127.0.0.1', options);
};
syncBuiltinESMExports();
