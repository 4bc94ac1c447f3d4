import { type Ground, servers } from './floors.ts';

const [, , name = '', ground = ''] = process.argv;
await servers[name]?.(JSON.parse(ground) as Ground, Number(process.env.PORT));
