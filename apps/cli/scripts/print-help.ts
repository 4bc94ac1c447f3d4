import { buildProgram } from '../src/program.ts';

buildProgram([]).outputHelp();
