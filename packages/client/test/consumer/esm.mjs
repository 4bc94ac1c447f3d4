import { createRequire } from 'node:module';
import * as client from '@chairside/client';
import { judge } from './judge.mjs';
import { judgeSocket } from './judge-socket.mjs';

const other = createRequire(import.meta.url)('@chairside/client');
const right = (await judge(client)) + (await judgeSocket(client));
// `instanceof` works between the ESM and the CommonJS copy in one process.
const error = new other.ChairsideError({ name: 'NotFound', message: 'x' });
if (!(error instanceof client.ChairsideError)) throw new Error('wrong: errors of the other copy');
console.log(`esm: ${right} right`);
