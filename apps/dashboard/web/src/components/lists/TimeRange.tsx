import { Clock, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { LANGUAGE, MINUTE } from '../../language.ts';
import { DialogButton } from '../dialogs/DialogButton.tsx';
import { DialogButtons, PageDialog } from '../dialogs/PageDialog.tsx';
import { localOf, TimeField, timeOf } from '../forms/TimeField.tsx';
import { lastDays, lastMonths } from './periods.ts';
import '../forms/Field.css';
import './Filters.css';

/** A range of times. A list's filters may contain one. */
type Range = { since?: string | undefined; until?: string | undefined };

const isTime = (value: string | undefined): value is string =>
  value !== undefined && timeOf(value) !== undefined;
const fieldOf = (value: string | undefined): string => (isTime(value) ? localOf(Date.parse(value)) : '');

const format = new Intl.DateTimeFormat(LANGUAGE, MINUTE);

/** The range in words. */
export const rangeText = ({ since, until }: Range): string =>
  [
    ...(isTime(since) ? [`from ${format.format(Date.parse(since))}`] : []),
    ...(isTime(until) ? [`until ${format.format(Date.parse(until))}`] : []),
  ].join(' ');

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
  const [now] = useState(() => new Date());
  return (
    <form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        onApply({ since: timeOf(since), until: timeOf(until) });
      }}
    >
      {hasEnd && (
        <fieldset className="presets" aria-label="Frequent periods">
          {[...lastDays(now), ...lastMonths(now)].map(({ name, period }) => (
            <Button key={name} className="compact" onPress={() => onApply({ until: undefined, ...period })}>
              {name}
            </Button>
          ))}
        </fieldset>
      )}
      <TimeField label="From" name="since" value={since} onChange={setSince} />
      {hasEnd && <TimeField label="Until" name="until" value={until} onChange={setUntil} />}
      <DialogButtons submit="Apply" onCancel={onCancel} />
    </form>
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
  const range = useRef<HTMLSpanElement>(null);
  return (
    <span ref={range} className={isChosen ? 'pill on' : 'pill'}>
      <DialogButton
        name={`${label}: ${isChosen ? rangeText(value) : (otherwise ?? 'any')}`}
        className="subtle"
        icon={<Clock aria-hidden="true" />}
      >
        {(close) => (
          <PageDialog title={label} onClose={close}>
            <RangeForm
              value={value}
              hasEnd={hasEnd}
              onApply={(chosen) => {
                close();
                onChange(chosen);
              }}
              onCancel={close}
            />
          </PageDialog>
        )}
      </DialogButton>
      {isChosen && (
        <Button
          className="subtle remove"
          aria-label={`Remove the filter ${label}`}
          onPress={() => {
            // This button disappears, so the focus moves to another element first.
            range.current?.querySelector('button')?.focus();
            onChange({ since: undefined, until: undefined });
          }}
        >
          <X aria-hidden="true" />
        </Button>
      )}
    </span>
  );
};
