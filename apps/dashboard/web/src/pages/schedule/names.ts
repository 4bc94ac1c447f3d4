import type { Choice } from '../../components/forms/Field.tsx';
import { visibleText } from '../../components/texts/visible-text.ts';

/** The name of an id among some choices, such as a clinic; the end of the id if there is no name. */
export const nameOf = (id: string, choices: readonly Choice[]): string =>
  visibleText(choices.find(({ value }) => value === id)?.label ?? `…${id.slice(-4)}`);

export const namesText = (ids: readonly string[], choices: readonly Choice[]): string =>
  ids.map((id) => nameOf(id, choices)).join(', ') || 'none';
