import { Field } from './Field.tsx';

/** The latest time that the field accepts. JavaScript has no times after the year 275760, but browsers accept them. */
const MAX = '9999-12-31T23:59';

/**
 * Formats a time for `<input type="datetime-local">`, in the reader's zone. @param time in milliseconds since the epoch
 */
export const localOf = (time: number): string => {
  const date = new Date(time);
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};

/** Converts the value of such a field to a time in UTC. Returns undefined if the value is empty or not a time. */
export const timeOf = (local: string): string | undefined => {
  const time = Date.parse(local);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
};

/** A field for a date and a time in the reader's zone. */
export const TimeField = ({
  label,
  name,
  description,
  isRequired = false,
  value,
  onChange,
}: {
  label: string;
  name: string;
  description?: string;
  isRequired?: boolean;
  value: string;
  onChange(value: string): void;
}) => (
  <Field
    label={label}
    name={name}
    type="datetime-local"
    max={MAX}
    isRequired={isRequired}
    {...(description !== undefined && { description })}
    value={value}
    onChange={onChange}
  />
);
