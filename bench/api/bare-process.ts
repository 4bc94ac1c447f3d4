import { type Ground, serveBare } from './floors.ts';

await serveBare(JSON.parse(process.argv[2] ?? '') as Ground, Number(process.env.PORT));
