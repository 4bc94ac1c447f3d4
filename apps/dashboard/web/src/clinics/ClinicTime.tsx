import { useContext } from 'react';
import { InTable } from '../components/lists/in-table.ts';
import { exactText, Time } from '../components/texts/Time.tsx';
import { tip } from '../components/texts/tip.ts';
import { MINUTE } from '../language.ts';
import { formatIn } from './zone.ts';

/**
 * A time at a clinic, in the time zone of the clinic, with UTC on hover. If that zone is unknown, the time is in the
 * reader's zone.
 *
 * @param props.isZoneNamed whether the name of the zone is shown; otherwise the list names it once
 */
export const ClinicTime = ({
  value,
  timeZone,
  isZoneNamed = true,
}: {
  value: string;
  timeZone: string | undefined;
  isZoneNamed?: boolean;
}) => {
  const format = timeZone === undefined ? undefined : formatIn(timeZone, MINUTE);
  const isInTable = useContext(InTable);
  if (format === undefined) return <Time value={value} exactly />;
  return (
    <time dateTime={value} {...tip(exactText(value))} {...(!isInTable && { tabIndex: 0 })}>
      {format.format(Date.parse(value))}
      {isZoneNamed && <span className="quiet"> ({timeZone})</span>}
    </time>
  );
};
