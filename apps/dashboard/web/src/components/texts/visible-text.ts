/** Control characters except tab and line break, and the characters that change the direction of text. */
const HIDDEN = /[^\P{Cc}\t\n]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Replaces each of these characters by an escape such as `\u202e`, because they can hide or reorder other text. */
export const visibleText = (text: string): string =>
  text.replace(HIDDEN, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
