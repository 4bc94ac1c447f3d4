import { useState } from 'react';
import { Button, Form } from 'react-aria-components';
import { DialogButton } from './DialogButton.tsx';
import { DialogButtons, PageDialog } from './PageDialog.tsx';
import { Time } from './Time.tsx';
import { localOf, TimeField, timeOf } from './TimeField.tsx';
import './Field.css';

/** A range of times. A list's filters may contain one. */
type Range = { since?: string | undefined; until?: string | undefined };

const isTime = (value: string | undefined): value is string =>
  value !== undefined && timeOf(value) !== undefined;
const fieldOf = (value: string | undefined): string => (isTime(value) ? localOf(Date.parse(value)) : '');

const RangeText = ({ since, until }: Range) => (
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

const RangeForm = ({
  value,
  hasEnd,
  onApply,
  onCancel,
}: {
  value: Range;
  hasEnd: boolean;
  onApply(range: Range): void;
  onCancel(): void;
}) => {
  const [since, setSince] = useState(fieldOf(value.since));
  const [until, setUntil] = useState(fieldOf(value.until));
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ since: timeOf(since), until: timeOf(until) });
      }}
    >
      <TimeField label="From" name="since" value={since} onChange={setSince} />
      {hasEnd && <TimeField label="Until" name="until" value={until} onChange={setUntil} />}
      <DialogButtons submit="Apply" isPending={false} onCancel={onCancel} />
    </Form>
  );
};

/** A filter by time: a button with a dialog, because two fields for times do not fit on a small screen. */
export const TimeRange = ({
  label,
  value,
  hasEnd = true,
  otherwise,
  onChange,
}: {
  label: string;
  value: Range;
  /** Whether the range can have an end. */
  hasEnd?: boolean;
  /**
   * The text that is shown while no range is chosen, for a list that then shows only some times, such as "Last 24
   * hours".
   */
  otherwise?: string;
  onChange(value: Range): void;
}) => {
  const isChosen = isTime(value.since) || isTime(value.until);
  return (
    <div className="buttons">
      <DialogButton name={`${label}…`}>
        {(close) => (
          <PageDialog title={label} onClose={close}>
            <RangeForm
              value={value}
              hasEnd={hasEnd}
              onApply={(range) => {
                close();
                onChange(range);
              }}
              onCancel={close}
            />
          </PageDialog>
        )}
      </DialogButton>
      {isChosen ? <RangeText {...value} /> : otherwise}
      {isChosen && (
        <Button
          aria-label={otherwise ?? `Any ${label.toLowerCase()}`}
          onPress={({ target }) => {
            // This button disappears, so the focus moves to another element first.
            target.parentElement?.querySelector('button')?.focus();
            onChange({ since: undefined, until: undefined });
          }}
        >
          {otherwise ?? 'Any'}
        </Button>
      )}
    </div>
  );
};
