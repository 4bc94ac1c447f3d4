import type { Appointment, Clinic } from '@chairside/client';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { ClinicTime } from '../../clinics/ClinicTime.tsx';
import { lackNames, proceduresText } from '../../clinics/procedures.ts';
import { useProcedureNames, useProviderNames } from '../../clinics/settings.ts';
import { Chip } from '../../components/texts/Chip.tsx';
import { moneyText } from '../../components/texts/numbers.ts';
import { Time } from '../../components/texts/Time.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';
import type { Kind } from '../../records/kinds.ts';
import type { AnyRecord } from '../../records/record.ts';
import { STATUS_ICONS } from '../../records/status-icons.ts';
import { isClinicTime, labelOf, REFERENCES } from './descriptions.ts';
import { languageText, methodText, statusOf, surfaceText } from './words.ts';

/** Fields that contain an amount in the currency of the record. */
const AMOUNTS: readonly string[] = ['total', 'amount', 'price'];

/** Fields with the ids of settings, which have names. */
const NAMED: Readonly<Record<string, (value: unknown) => ReactNode>> = {
  providerId: (id) => <Provider id={String(id)} />,
  procedureId: (id) => <Procedure id={String(id)} />,
  procedures: (value) => <Procedures procedures={value as Appointment['procedures']} />,
};

const clinicOf = ({ clinicId }: AnyRecord, clinics: readonly Clinic[]): Clinic | undefined =>
  clinics.find(({ _id }) => _id === clinicId);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** An object in one line: its name, or its fields in words. */
const objectText = (value: Readonly<Record<string, unknown>>): string =>
  typeof value.name === 'string' && value.name !== ''
    ? value.name
    : Object.entries(value)
        .filter(([field]) => field !== '_id')
        .map(([field, each]) => `${labelOf(field)}: ${valueText(each)}`)
        .join(', ');

const valueText = (value: unknown): string => {
  if (Array.isArray(value)) return value.map(valueText).join(', ');
  return isObject(value) ? objectText(value) : String(value ?? '');
};

/** The text of a field that has no form of its own; undefined for a field that has one. */
export const textOf = (field: string, value: unknown): string | undefined => {
  if (value === undefined || value === null) return undefined;
  if (field === 'status' || field.endsWith('Time') || field in REFERENCES || field in NAMED) return undefined;
  if (field === 'language') return visibleText(languageText(String(value)));
  if (field === 'method') return methodText(value);
  if (field === 'surfaces' && Array.isArray(value)) return value.map(surfaceText).join(', ');
  return visibleText(valueText(value));
};

/** The id of a setting is shown if its name cannot be read, or if the setting was deleted. */
const Provider = ({ id }: { id: string }) => visibleText(useProviderNames(true)(id, id));
const Procedure = ({ id }: { id: string }) => visibleText(useProcedureNames(true)(id, id));

const Procedures = ({ procedures }: { procedures: Appointment['procedures'] }) => {
  const text = visibleText(proceduresText(procedures, useProcedureNames(lackNames(procedures))));
  return <span {...tip(text)}>{text}</span>;
};

/**
 * The value of a field in words: a link for the id of another record, a formatted time or amount, and otherwise text.
 */
export const FieldValue = ({
  kind,
  field,
  record,
  clinics,
  isZoneNamed = true,
}: {
  kind: Kind;
  field: string;
  record: AnyRecord;
  clinics: readonly Clinic[];
  /** Whether a time at a clinic shows the name of its zone. */
  isZoneNamed?: boolean;
}): ReactNode => {
  const value = record[field];
  if (value === undefined || value === null) return null;
  const target = REFERENCES[field];
  if (target !== undefined)
    return (
      <Link className="over" to="/records/$kind/$recordId" params={{ kind: target, recordId: String(value) }}>
        {visibleText((target === 'clinics' ? clinicOf(record, clinics)?.name : undefined) ?? String(value))}
      </Link>
    );
  if (field.endsWith('Time') && typeof value === 'string')
    return isClinicTime(field) ? (
      <ClinicTime value={value} timeZone={clinicOf(record, clinics)?.timezone} isZoneNamed={isZoneNamed} />
    ) : (
      <Time value={value} />
    );
  if (field in NAMED) return NAMED[field]?.(value);
  const status = field === 'status' ? statusOf(kind, value) : undefined;
  if (status !== undefined)
    return (
      <Chip
        tone={status.tone}
        icon={kind === 'appointments' ? STATUS_ICONS[value as Appointment['status']] : undefined}
      >
        {status.text}
      </Chip>
    );
  const amount = AMOUNTS.includes(field) ? Number(value) : Number.NaN;
  if (!Number.isNaN(amount)) return moneyText(amount, record.currency);
  const text = textOf(field, value) ?? visibleText(String(value));
  return field === 'name' ? <bdi>{text}</bdi> : text;
};
