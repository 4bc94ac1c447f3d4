import type { Appointment } from '@chairside/client';
import type { NameOf } from './settings.ts';

type Procedures = Appointment['procedures'];

/** Whether an appointment leaves out the name of a procedure, so that the price list has it. */
export const lackNames = (procedures: Procedures): boolean => procedures.some(({ name }) => !name);

/** The names of the procedures of an appointment. */
export const proceduresText = (procedures: Procedures, nameOf: NameOf): string =>
  procedures
    .map(({ name, procedureId }) => name || nameOf(procedureId))
    .filter((name) => name !== '')
    .join(', ');
