import { Time } from '../components/Time.tsx';

const formats = new Map<string, Intl.DateTimeFormat | undefined>();

/** The format of a zone; undefined if the browser does not know the zone. */
const formatOf = (timeZone: string): Intl.DateTimeFormat | undefined => {
  if (!formats.has(timeZone)) {
    try {
      const options = { dateStyle: 'medium', timeStyle: 'short', timeZone } as const;
      formats.set(timeZone, new Intl.DateTimeFormat(undefined, options));
    } catch {
      formats.set(timeZone, undefined);
    }
  }
  return formats.get(timeZone);
};

/** A time at a clinic, in the zone of the clinic, with UTC on hover. Without a known zone, in the reader's zone. */
export const ClinicTime = ({ value, timeZone }: { value: string; timeZone: string | undefined }) => {
  const format = timeZone === undefined ? undefined : formatOf(timeZone);
  if (format === undefined) return <Time value={value} />;
  const date = new Date(value);
  return (
    <time dateTime={value} title={date.toISOString()}>
      {format.format(date)} <span className="quiet">({timeZone})</span>
    </time>
  );
};
