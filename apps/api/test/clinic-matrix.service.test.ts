import { OF_EACH_REACH, testCallers } from './clinic-matrix.ts';

testCallers(OF_EACH_REACH);
