import { appointmentTimeIssues, type Issue, instant } from '@chairside/domain';
import { patientNameIssues } from '../records/references.ts';

const timeOf = (value: unknown): string | undefined => instant.safeParse(value).data;
/** The rules about several fields of a refused appointment. */
export const alsoCheck = (sent: Readonly<Record<string, unknown>>): Issue[] => [
  ...appointmentTimeIssues({ startTime: timeOf(sent.startTime), endTime: timeOf(sent.endTime) }),
  ...patientNameIssues(sent),
];
