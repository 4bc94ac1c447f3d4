import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { DialogButton } from '../../components/dialogs/DialogButton.tsx';
import { DialogButtons, PageDialog } from '../../components/dialogs/PageDialog.tsx';
import { ActionForm } from '../../components/forms/ActionForm.tsx';
import { Field } from '../../components/forms/Field.tsx';
import { Segments } from '../../components/forms/Segments.tsx';
import { TextArea } from '../../components/forms/TextArea.tsx';
import { countText } from '../../components/texts/numbers.ts';
import { readDates } from './dates.ts';
import { dayText, type Exception, intervalsOf, intervalsText, type TypedInterval, typed } from './hours.ts';
import { IntervalFields } from './IntervalFields.tsx';

const KINDS = [
  { value: 'closed', label: 'Closed' },
  { value: 'other', label: 'Other hours' },
];

/** Closed, or other hours than those of the weekday. */
const DayKind = ({
  value,
  onChange,
}: {
  value: readonly TypedInterval[];
  onChange(value: TypedInterval[]): void;
}) => (
  <>
    <Segments
      label="Hours of these days"
      value={value.length === 0 ? 'closed' : 'other'}
      choices={KINDS}
      onChange={(kind) => onChange(kind === 'closed' ? [] : [typed()])}
    />
    {value.length > 0 && (
      <IntervalFields label="These days" name="intervals" value={value} onChange={onChange} />
    )}
  </>
);

/** A form that changes what is typed on the page, without a request. */
const LocalForm = ({
  submit,
  act,
  onClose,
  children,
}: {
  submit: string;
  act(): void;
  onClose(): void;
  children: ReactNode;
}) => {
  const request = useMutation({
    mutationFn: async () => act(),
    onSuccess: onClose,
  });
  return (
    <ActionForm request={request}>
      {children}
      <DialogButtons submit={submit} onCancel={onClose} />
    </ActionForm>
  );
};

/** Adds a date or a range to the lines. */
const PickDates = ({ onPick }: { onPick(line: string): void }) => {
  const [from, setFrom] = useState('');
  const [to, setTo] = useState('');
  return (
    <div className="pick">
      <Field label="From" type="date" hasLine={false} value={from} onChange={setFrom} />
      <Field label="To, for several days" type="date" hasLine={false} value={to} onChange={setTo} />
      <Button
        isDisabled={from === ''}
        onPress={() => {
          onPick(to === '' ? from : `${from}..${to}`);
          setFrom('');
          setTo('');
        }}
      >
        Add to the list
      </Button>
    </div>
  );
};

/** Some of the days in words, and the number of the others. */
const someText = (days: readonly string[]): string => {
  const [first = '', ...others] = days;
  const last = others.at(-1);
  return last === undefined
    ? dayText(first)
    : `${countText(days.length)} days, ${dayText(first)} to ${dayText(last)}`;
};

const AddForm = ({
  exceptions,
  onAdd,
  onClose,
}: {
  exceptions: readonly Exception[];
  onAdd(added: Exception[]): void;
  onClose(): void;
}) => {
  const [text, setText] = useState('');
  const [typedHours, setHours] = useState<TypedInterval[]>([]);
  const { days, bad } = readDates(text);
  const intervals = intervalsOf(typedHours);
  const hours = intervalsText(intervals);
  const present = new Map(exceptions.map((each) => [each.date, intervalsText(each.intervals)]));
  const same = days.filter((day) => present.get(day) === hours);
  const replaced = days.filter((day) => present.has(day) && present.get(day) !== hours);
  const added = days.filter((day) => !present.has(day));
  const problem = bad.length > 0 ? 'Correct the lines that are named below.' : 'Enter at least one date.';
  return (
    <LocalForm
      submit="Add days"
      act={() => onAdd([...added, ...replaced].map((date) => ({ date, intervals })))}
      onClose={onClose}
    >
      <TextArea
        label="Dates, one on each line"
        name="dates"
        description="2027-12-24, or a range: 2027-07-01..2027-07-14"
        problem={bad.length > 0 || days.length === 0 ? problem : ''}
        value={text}
        onChange={setText}
      />
      <PickDates onPick={(line) => setText(`${text.trimEnd()}\n${line}`.trimStart())} />
      <DayKind value={typedHours} onChange={setHours} />
      {/* The box keeps its height, so that the buttons do not move while a person types. */}
      <ul className="added-days" aria-label="What will be added" aria-live="polite">
        {bad.map((line) => (
          <li key={line} className="bad">
            {line}
          </li>
        ))}
        {added.length > 0 && <li>New: {someText(added)}</li>}
        {same.length > 0 && <li>Already there: {someText(same)}</li>}
        {replaced.map((day) => (
          <li key={day}>
            Replaced: {dayText(day)}, now {present.get(day)}
          </li>
        ))}
        {bad.length + days.length === 0 && <li className="quiet">What will be added appears here.</li>}
      </ul>
    </LocalForm>
  );
};

/** Adds many closed days at once, such as those of a year. They may also have other hours than their weekday. */
export const AddDays = ({
  exceptions,
  onAdd,
}: {
  exceptions: readonly Exception[];
  onAdd(added: Exception[]): void;
}) => (
  <DialogButton name="Add days">
    {(close) => (
      <PageDialog title="Add closed days" onClose={close}>
        <AddForm exceptions={exceptions} onAdd={onAdd} onClose={close} />
      </PageDialog>
    )}
  </DialogButton>
);

/** Changes the hours of one date. */
export const EditDay = ({
  exception: { date, intervals },
  onEdit,
  onClose,
}: {
  exception: Exception;
  onEdit(edited: Exception): void;
  onClose(): void;
}) => {
  const [typedHours, setHours] = useState(() => intervals.map(typed));
  return (
    <PageDialog title={`Hours of ${dayText(date)}`} onClose={onClose}>
      <LocalForm
        submit="Change"
        act={() => onEdit({ date, intervals: intervalsOf(typedHours) })}
        onClose={onClose}
      >
        <DayKind value={typedHours} onChange={setHours} />
      </LocalForm>
    </PageDialog>
  );
};
