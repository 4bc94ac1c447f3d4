import { createContext } from 'react';

/** What the parts of a form need to know about it. */
export type FormState = {
  /** The messages of the last refusal by the names of the fields. They stay until the form is submitted again. */
  messages: Readonly<Record<string, string>>;
  /** The number of refused fields, if the fields show the whole refusal; otherwise 0. */
  invalid: number;
  /** The failure of the request, unless a field alone says it. */
  error: unknown;
  /** Whether a field alone says the failure, so that the field must announce it. */
  isAtField: boolean;
  isPending: boolean;
};

export const FormContext = createContext<FormState>({
  messages: {},
  invalid: 0,
  error: null,
  isAtField: false,
  isPending: false,
});
