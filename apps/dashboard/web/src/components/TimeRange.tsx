import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { Field } from './Field.tsx';
import { DialogButtons, PageDialog } from './PageDialog.tsx';
import { Time } from './Time.tsx';

type Range = { since?: string | undefined; until?: string | undefined };

/** A time as `<input type="datetime-local">` has it, in the reader's zone; empty for none. */
const localOf = (value: string | undefined): string => {
  const time = value === undefined ? Number.NaN : Date.parse(value);
  if (Number.isNaN(time)) return '';
  return new Date(time - new Date(time).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const timeOf = (local: string): string | undefined =>
  local === '' ? undefined : new Date(local).toISOString();

const isTime = (value: string | undefined): value is string =>
  value !== undefined && !Number.isNaN(Date.parse(value));

/** The chosen range in words. */
const Words = ({ since, until }: Range) => (
  <span>
    {isTime(since) && (
      <>
        from <Time value={since} />
      </>
    )}{' '}
    {isTime(until) && (
      <>
        until <Time value={until} />
      </>
    )}
  </span>
);

/** A filter by time: a button with a dialog, because two fields for times do not fit on a small screen. */
export const TimeRange = ({
  label,
  value,
  hasEnd = true,
  onChange,
}: {
  label: string;
  value: Range;
  /** Whether the range can have an end. */
  hasEnd?: boolean;
  onChange(value: Range): void;
}) => {
  const [isOpen, setOpen] = useState(false);
  const [since, setSince] = useState('');
  const [until, setUntil] = useState('');
  const open = () => {
    setSince(localOf(value.since));
    setUntil(localOf(value.until));
    setOpen(true);
  };
  const apply = (range: Range) => {
    setOpen(false);
    onChange(range);
  };
  const isSet = isTime(value.since) || isTime(value.until);
  return (
    <div className="buttons">
      <Button onPress={open}>{label}…</Button>
      {isSet && (
        <>
          <Words {...value} />
          <Button aria-label={`Any ${label.toLowerCase()}`} onPress={() => apply({})}>
            Any
          </Button>
        </>
      )}
      <PageDialog title={label} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            apply({ since: timeOf(since), until: timeOf(until) });
          }}
        >
          <Field label="From" type="datetime-local" value={since} onChange={setSince} />
          {hasEnd && <Field label="Until" type="datetime-local" value={until} onChange={setUntil} />}
          <DialogButtons submit="Apply" isPending={false} onCancel={() => setOpen(false)} />
        </Form>
      </PageDialog>
    </div>
  );
};
