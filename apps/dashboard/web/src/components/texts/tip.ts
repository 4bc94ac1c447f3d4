/**
 * Names a text that appears on hover and on focus: the exact time, or the whole of a text that is cut off. The component
 * `Tips` shows it.
 */
export const tip = (text: string): { 'data-tip': string } => ({ 'data-tip': text });
