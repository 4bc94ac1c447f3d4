import { OTHERS, testCallers } from './clinic-matrix.ts';

testCallers(OTHERS);
