/** Something that the user can mend; the message says how. */
export class DemoProblem extends Error {
  override readonly name = 'DemoProblem';
}
