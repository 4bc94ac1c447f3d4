import { enter } from '@chairside/runtime/enter';

await enter(() => import('./main.ts'));
