import type { Operator } from '@chairside/client';

/** The name of an operator, or the e-mail address of one without a name. */
export const operatorName = ({ name, email }: Pick<Operator, 'name' | 'email'>): string => name ?? email;
