import { useContext } from 'react';
import { DAY, LANGUAGE, SECOND } from '../../language.ts';
import { InTable } from '../lists/in-table.ts';
import { useNow } from './now.ts';
import { relativeText } from './relative.ts';
import { tip } from './tip.ts';

const exact = new Intl.DateTimeFormat(LANGUAGE, SECOND);
const dayOnly = new Intl.DateTimeFormat(LANGUAGE, DAY);

/** The exact time in the reader's zone and in UTC, for a tip. */
export const exactText = (value: string): string =>
  `${exact.format(new Date(value))}\n${new Date(value).toISOString()}`;

/**
 * A time in words, with the exact time in the reader's zone and in UTC on hover and focus.
 *
 * @param props.exactly shows the exact time instead of words
 * @param props.day shows only the day
 */
export const Time = ({
  value,
  exactly = false,
  day = false,
}: {
  value: string | undefined;
  exactly?: boolean;
  day?: boolean;
}) => {
  const now = useNow();
  const isInTable = useContext(InTable);
  if (value === undefined) return <span className="quiet">never</span>;
  const time = Date.parse(value);
  return (
    <time dateTime={value} {...tip(exactText(value))} {...(!isInTable && { tabIndex: 0 })}>
      {day ? dayOnly.format(time) : exactly ? exact.format(time) : relativeText(time, now)}
    </time>
  );
};
