import { enter } from '@chairside/startup/enter';

await enter(() => import('./main.ts'));
