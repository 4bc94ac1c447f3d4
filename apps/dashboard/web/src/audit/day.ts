/** The day of an entry, in the reader's zone. It has 23 or 25 hours if the clocks change on it. */
export const dayOf = (time: string): { since: string; until: string } => {
  const [begin, end] = [new Date(time), new Date(time)];
  begin.setHours(0, 0, 0, 0);
  end.setHours(23, 59, 59, 999);
  return { since: begin.toISOString(), until: end.toISOString() };
};
