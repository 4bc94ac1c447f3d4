import { CommandFailure } from '@chairside/processes';
import { describe, expect, it } from 'vitest';
import { machineProblem } from './problem.ts';

describe('machineProblem', () => {
  it('detects a full disk from the output of a command', () => {
    const failure = new CommandFailure('dpkg failed (exit 2)', ['cannot copy: No space left on device']);
    const problem = machineProblem(failure);
    expect(problem).toMatchObject({ code: 'DISK_FULL', cause: failure });
    expect(problem?.message).toContain('CHAIRSIDE_CACHE_DIR');
  });

  it('detects a full disk from a failed write', () => {
    const error = Object.assign(new Error('ENOSPC: write'), { code: 'ENOSPC' });
    expect(machineProblem(error)).toMatchObject({ code: 'DISK_FULL', cause: error });
  });

  it('reports the path that cannot be written', () => {
    const error = Object.assign(new Error('EACCES: permission denied, mkdir'), {
      code: 'EACCES',
      syscall: 'mkdir',
      path: '/cache',
    });
    const problem = machineProblem(error);
    expect(problem).toMatchObject({ code: 'NO_PERMISSION' });
    expect(problem?.message).toContain('/cache');
  });

  it('ignores a program that may not be executed, and all other errors', () => {
    const spawn = Object.assign(new Error('EACCES'), { code: 'EACCES', syscall: 'spawn x', path: 'x' });
    expect(machineProblem(spawn)).toBeUndefined();
    expect(machineProblem(new Error('refused'))).toBeUndefined();
  });
});
