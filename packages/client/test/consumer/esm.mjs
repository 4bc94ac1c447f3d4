import { createRequire } from 'node:module';
import * as client from '@chairside/client';
import { judge } from './judge.mjs';
import { judgeSocket } from './judge-socket.mjs';

const other = createRequire(import.meta.url)('@chairside/client');
const right = (await judge(client)) + (await judgeSocket(client));
// Both copies in one process know each other's errors.
const error = new other.ChairsideError({ name: 'NotFound', message: 'x' });
if (!(error instanceof client.ChairsideError)) throw new Error('wrong: errors of the other copy');
console.log(`esm: ${right} right`);
