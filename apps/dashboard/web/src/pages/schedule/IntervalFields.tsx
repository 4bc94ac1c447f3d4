import { Plus, X } from 'lucide-react';
import { type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react';
import { Button } from 'react-aria-components';
import { FieldLine } from '../../components/forms/Field.tsx';
import { FormContext } from '../../components/forms/form-state.ts';
import { readTime, type TypedInterval, timeProblems, typed } from './hours.ts';
import './Schedule.css';

const TimeInput = ({
  label,
  name,
  placeholder,
  value,
  problem = '',
  isWrong,
  line,
  onChange,
}: {
  label: string;
  name: string;
  placeholder: string;
  value: string;
  problem?: string | undefined;
  isWrong: boolean;
  line: string;
  onChange(value: string): void;
}) => {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.setCustomValidity(problem), [problem]);
  return (
    <input
      ref={input}
      aria-label={label}
      name={name}
      autoComplete="off"
      placeholder={placeholder}
      maxLength={5}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onBlur={() => onChange(readTime(value) ?? value)}
      aria-invalid={isWrong ? true : undefined}
      aria-describedby={line}
    />
  );
};

/**
 * The opening intervals of a day: any number of them, each with two times.
 *
 * @param props.name the path of the intervals in a message of the api
 * @param props.end further controls at the end
 */
export const IntervalFields = ({
  label,
  name,
  value,
  onChange,
  end,
}: {
  label: string;
  name: string;
  value: readonly TypedInterval[];
  onChange(value: TypedInterval[]): void;
  end?: ReactNode;
}) => {
  const line = useId();
  const { messages } = useContext(FormContext);
  const group = useRef<HTMLFieldSetElement>(null);
  const [added, setAdded] = useState<string>();
  useEffect(() => {
    if (added !== undefined)
      group.current?.querySelector<HTMLElement>('.interval:last-of-type input')?.focus();
  }, [added]);
  const message = Object.entries(messages).find(
    ([path]) => path === name || path.startsWith(`${name}.`),
  )?.[1];
  const edit = (id: string, changed: Partial<TypedInterval>) =>
    onChange(value.map((each) => (each.id === id ? { ...each, ...changed } : each)));
  return (
    <fieldset ref={group} className="day-hours">
      <legend className="hidden">{label}</legend>
      <span className="day-name" aria-hidden="true">
        {label}
      </span>
      <div className="intervals">
        {value.length === 0 && <span className="quiet">Closed</span>}
        {value.map((interval, index) => {
          const problems = timeProblems(interval, value);
          const path = `${name}.${index}`;
          const isRefused = messages[path] !== undefined;
          return (
            <span key={interval.id} className="interval">
              <TimeInput
                label={`${label} opens`}
                name={`${path}.opens`}
                placeholder="08:00"
                value={interval.opens}
                problem={problems.opens}
                isWrong={isRefused || messages[`${path}.opens`] !== undefined}
                line={line}
                onChange={(opens) => edit(interval.id, { opens })}
              />
              <span aria-hidden="true">–</span>
              <TimeInput
                label={`${label} closes`}
                name={`${path}.closes`}
                placeholder="17:00"
                value={interval.closes}
                problem={problems.closes}
                isWrong={isRefused || messages[`${path}.closes`] !== undefined}
                line={line}
                onChange={(closes) => edit(interval.id, { closes })}
              />
              <Button
                className="subtle icon"
                aria-label={`Remove ${interval.opens || 'new hours'}–${interval.closes} from ${label}`}
                onPress={() => {
                  // This button disappears, so the focus moves to another element first.
                  group.current?.querySelector<HTMLElement>('.add-hours')?.focus();
                  onChange(value.filter(({ id }) => id !== interval.id));
                }}
              >
                <X aria-hidden="true" />
              </Button>
            </span>
          );
        })}
      </div>
      <span className="day-actions">
        <Button
          className="subtle compact add-hours"
          aria-label={`Add hours to ${label}`}
          onPress={() => {
            const interval = typed();
            onChange([...value, interval]);
            setAdded(interval.id);
          }}
        >
          <Plus aria-hidden="true" />
          Add hours
        </Button>
        {end}
      </span>
      <FieldLine id={line} message={message} description="" />
    </fieldset>
  );
};
