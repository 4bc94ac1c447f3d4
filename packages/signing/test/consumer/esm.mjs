import { createRequire } from 'node:module';
import * as synchronous from '@chairside/signing';
import * as web from '@chairside/signing/web';
import { checkErrors, judge } from './judge.mjs';

const require = createRequire(import.meta.url);
const vectors = require('@chairside/signing/vectors.json');

const first = await judge('@chairside/signing', synchronous, vectors);
const second = await judge('@chairside/signing/web', web, vectors);
checkErrors(synchronous.SignatureError, web.SignatureError, require('@chairside/signing').SignatureError);
console.log(`esm: ${first} + ${second} rows`);
