import { describe, expect, it } from 'vitest';
import { MINIMUM_NODE_VERSION, nodeVersionProblem } from './node-version.ts';

describe('nodeVersionProblem', () => {
  it.each(['18.20.8', '20.20.2', '22.22.0', '24.0.0', '24.6.1', '9.11.2'])(
    'of %s contains the required version and this one',
    (version) => {
      const problem = nodeVersionProblem(version);
      expect(problem).toContain(`needs Node.js ${MINIMUM_NODE_VERSION} or later`);
      expect(problem).toContain(`this is ${version}.`);
    },
  );

  it.each([MINIMUM_NODE_VERSION, '24.20.0', '24.21.0', '25.0.0', '26.0.0-nightly20261101', '100.0.0'])(
    'of %s is undefined',
    (version) => expect(nodeVersionProblem(version)).toBeUndefined(),
  );

  it('is undefined for the version that runs the tests', () => {
    expect(nodeVersionProblem(process.versions.node)).toBeUndefined();
  });
});
