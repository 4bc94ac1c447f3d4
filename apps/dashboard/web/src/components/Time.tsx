const inZone = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const dayOnly = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

/** A time in the reader's zone, with UTC on hover. */
export const Time = ({ value, day = false }: { value: string | undefined; day?: boolean }) => {
  if (value === undefined) return <span className="quiet">never</span>;
  const date = new Date(value);
  return (
    <time dateTime={value} title={date.toISOString()}>
      {(day ? dayOnly : inZone).format(date)}
    </time>
  );
};
