/** The first pause after the mail server could not be used, and the longest, in milliseconds. */
const FIRST_MS = 1000;
const LONGEST_MS = 60_000;

/**
 * The pauses while the mail server cannot be used. They double, so that mails do not wear an absent server out, nor use up
 * their own attempts.
 */
export type ServerRest = {
  /** Whether no attempt may begin now. */
  isResting(): boolean;
  /** Called after each attempt. @param wasReached whether the mail server let us begin with a mail */
  note(wasReached: boolean): void;
};

/** @param onChange called when the mail server cannot be used any more, and when it can be used again */
export const createServerRest = (onChange: (isUsable: boolean) => void): ServerRest => {
  let failures = 0;
  let until = Number.NEGATIVE_INFINITY;
  const isResting = () => performance.now() < until;
  return {
    isResting,
    note(wasReached) {
      if (wasReached) {
        if (failures > 0) onChange(true);
        failures = 0;
        until = Number.NEGATIVE_INFINITY;
        return;
      }
      // Attempts that began together count once.
      if (isResting()) return;
      if (failures === 0) onChange(false);
      until = performance.now() + Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
      failures++;
    },
  };
};
