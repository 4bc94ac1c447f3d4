import type { Clinic } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import { ClinicTime } from '../clinics/ClinicTime.tsx';
import { Time } from '../components/Time.tsx';
import { visibleText } from '../components/visible-text.ts';
import { REFERENCES } from './descriptions.ts';
import type { AnyRecord } from './requests.ts';

/** Fields whose times are about the record itself. They are not shown in the time zone of the clinic. */
const OWN_TIMES: readonly string[] = ['lastEditTime', 'creationTime'];

const clinicOf = ({ clinicId }: AnyRecord, clinics: readonly Clinic[]): Clinic | undefined =>
  clinics.find(({ _id }) => _id === clinicId);

/**
 * The value of a field: a link for the id of another record, a formatted time, a list of strings separated by commas,
 * JSON for other objects and lists, and otherwise text.
 */
export const FieldValue = ({
  field,
  record,
  clinics,
}: {
  field: string;
  record: AnyRecord;
  clinics: readonly Clinic[];
}) => {
  const value = record[field];
  if (value === undefined || value === null) return null;
  const kind = REFERENCES[field];
  if (kind !== undefined)
    return (
      <Link to="/records/$kind/$recordId" params={{ kind, recordId: String(value) }}>
        {visibleText((kind === 'clinics' ? clinicOf(record, clinics)?.name : undefined) ?? String(value))}
      </Link>
    );
  if (field.endsWith('Time') && typeof value === 'string')
    return OWN_TIMES.includes(field) ? (
      <Time value={value} />
    ) : (
      <ClinicTime value={value} timeZone={clinicOf(record, clinics)?.timezone} />
    );
  if (Array.isArray(value) && value.every((each) => typeof each === 'string'))
    return visibleText(value.join(', '));
  if (typeof value === 'object') return <pre>{visibleText(JSON.stringify(value, null, 2))}</pre>;
  return visibleText(String(value));
};
