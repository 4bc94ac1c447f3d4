import { LANGUAGE } from '../../language.ts';
import './Live.css';

const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: '2-digit', minute: '2-digit' });

/** The part of a query that says whether its data is current. */
type Read = { error: unknown; dataUpdatedAt: number };

/**
 * Says that a page follows what happens or, if the last read of one of its queries failed, since when it does not.
 *
 * @param props.of the live queries of the page
 */
export const Live = ({ of }: { of: readonly Read[] }) => {
  const failed = of.filter(({ error }) => error !== null);
  if (failed.length === 0) return <span className="live">Live</span>;
  const since = Math.min(...failed.map(({ dataUpdatedAt }) => dataUpdatedAt));
  return <span className="live not">Not live{since > 0 && `, since ${clock.format(since)}`}</span>;
};
