import { type Ground, serveBare } from './floors.ts';

const url = await serveBare(JSON.parse(process.argv[2] ?? '') as Ground);
process.stdout.write(`${url}\n`);
