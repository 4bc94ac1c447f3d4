/**
 * The oldest Node.js that the services run on. Earlier ones (seen with 24.14) emit no `close` for a pipelined response
 * whose connection ends before it is sent, so requests would count as in flight forever. The `engines` of each program
 * have the same version; a test compares them.
 */
export const MINIMUM_NODE_VERSION = '24.18.0';

const partsOf = (version: string): number[] => version.split('.').map(Number.parseFloat);

/** @returns what is wrong with this version of Node.js and what to do; undefined if the services run on it */
export const nodeVersionProblem = (version: string): string | undefined => {
  const [major = 0, minor = 0] = partsOf(version);
  const [neededMajor = 0, neededMinor = 0] = partsOf(MINIMUM_NODE_VERSION);
  if (major > neededMajor || (major === neededMajor && minor >= neededMinor)) return undefined;
  return `Chairside needs Node.js ${MINIMUM_NODE_VERSION} or later, but this is ${version}. Install a newer Node.js.`;
};
