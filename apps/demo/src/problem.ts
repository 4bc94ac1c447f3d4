/** A problem that the user can fix. The message explains how. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem';
}
