import { ChairsideError } from '@chairside/client';
import { fieldMessages, isWrongProof, problemOf } from '../../api/problems.ts';

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** The named fields of a form. */
export const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter(
    (each): each is Control =>
      (each instanceof HTMLInputElement ||
        each instanceof HTMLSelectElement ||
        each instanceof HTMLTextAreaElement) &&
      each.name !== '',
  );

/** The label of a field. Check boxes of one field share the legend. */
const labelOf = (control: Control): string | null | undefined =>
  control.type === 'checkbox'
    ? control.closest('fieldset')?.querySelector('legend')?.textContent
    : control.labels?.[0]?.textContent;

/** The labels of the fields by their names. */
const labelsOf = (form: HTMLFormElement): ReadonlyMap<string, string> =>
  new Map(
    controlsOf(form).flatMap((control): [string, string][] => {
      const label = labelOf(control);
      return label ? [[control.name, label]] : [];
    }),
  );

/** Makes a sentence of the api's message about a field, which continues the name of the field. */
const sentenceOf = (label: string, message: string, labels: ReadonlyMap<string, string>): string => {
  if (!/^\p{Ll}/u.test(message)) return message;
  const words = message.replace(/\b[a-z]+[A-Z]\w*\b/g, (name) => labels.get(name) ?? name);
  return `${label} ${words}.`;
};

/** The fields with which a person proves who they are. */
const PROOFS: readonly string[] = ['password', 'code', 'recoveryCode'];

/** What a form shows of the refusal of its request. */
export type Refusal = {
  error: unknown;
  /** Whether a password or a code is wrong, which its field alone says. */
  isWrongProof: boolean;
  /** By the names of the fields. */
  messages: Readonly<Record<string, string>>;
  /** Number of refused fields, if fields of the form show the whole refusal; otherwise 0. */
  atFields: number;
};

/**
 * Describes a refusal in the words of a form: with its labels instead of the names that the api uses.
 *
 * @param form the form whose request was refused
 */
export const refusalIn = (form: HTMLFormElement, error: unknown): Refusal => {
  const proof = controlsOf(form).find(({ name }) => PROOFS.includes(name));
  if (proof !== undefined && isWrongProof(error))
    return {
      ...{ error, isWrongProof: true, atFields: 0 },
      // The line below a field has room for one sentence.
      messages: { [proof.name]: problemOf(error).message.replace(/(?<=\.) .*/s, '') },
    };
  const raw = fieldMessages(error);
  const labels = labelsOf(form);
  const messages = Object.fromEntries(
    Object.entries(raw).map(([name, message]) => {
      const label = labels.get(name);
      return [name, label === undefined ? message : sentenceOf(label, message, labels)];
    }),
  );
  const paths = error instanceof ChairsideError ? error.issues.map(({ path }) => path) : [];
  return {
    ...{ error, isWrongProof: false, messages },
    atFields: paths.every((path) => labels.has(path)) ? new Set(paths).size : 0,
  };
};
