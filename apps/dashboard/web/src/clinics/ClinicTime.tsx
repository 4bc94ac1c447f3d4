import { Time } from '../components/Time.tsx';
import { formatIn } from './zone.ts';

/**
 * A time at a clinic, in the time zone of the clinic, with UTC on hover. If that zone is unknown, the time is in the
 * reader's zone.
 */
export const ClinicTime = ({ value, timeZone }: { value: string; timeZone: string | undefined }) => {
  const format =
    timeZone === undefined ? undefined : formatIn(timeZone, { dateStyle: 'medium', timeStyle: 'short' });
  if (format === undefined) return <Time value={value} />;
  const date = new Date(value);
  return (
    <time dateTime={value} title={date.toISOString()}>
      {format.format(date)} <span className="quiet">({timeZone})</span>
    </time>
  );
};
