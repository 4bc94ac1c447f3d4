import { CircleAlert } from 'lucide-react';
import { type InputHTMLAttributes, type ReactNode, useContext, useId } from 'react';
import { FormContext } from './form-state.ts';
import './Field.css';

/** The message of the last refusal of a field. */
const useMessage = (name: string | undefined): string | undefined =>
  useContext(FormContext).messages[name ?? ''];

/** The line below a field: its description, or the message of a refusal. The line is kept free if it has neither. */
export const FieldLine = ({
  id,
  message,
  description,
}: {
  id: string;
  message: string | undefined;
  description: ReactNode;
}) => {
  const { isAtField } = useContext(FormContext);
  return (
    <div id={id} className={message === undefined ? 'line' : 'line bad'}>
      {message === undefined ? (
        description
      ) : (
        <>
          <CircleAlert aria-hidden="true" />
          {isAtField ? <span role="alert">{message}</span> : message}
        </>
      )}
    </div>
  );
};

/** The properties of the browser's input that fields use. */
type InputProps = Pick<
  InputHTMLAttributes<HTMLInputElement>,
  | 'type'
  | 'autoComplete'
  | 'maxLength'
  | 'minLength'
  | 'pattern'
  | 'min'
  | 'max'
  | 'placeholder'
  | 'inputMode'
  | 'autoFocus'
  | 'readOnly'
  | 'onKeyDown'
  | 'onKeyUp'
  | 'onBlur'
>;

/**
 * A text field with its label, a description and the message of the last refusal.
 *
 * @param props.after a control at the end of the field
 */
export const Field = ({
  label,
  name,
  description,
  isRequired = false,
  isLabelHidden = false,
  hasLine = true,
  value,
  onChange,
  after,
  ...input
}: InputProps & {
  label: string;
  name?: string;
  description?: ReactNode;
  isRequired?: boolean;
  isLabelHidden?: boolean;
  hasLine?: boolean;
  value: string;
  onChange?(value: string): void;
  after?: ReactNode;
}) => {
  const id = useId();
  const line = useId();
  const message = useMessage(name);
  return (
    <div className="field">
      <label htmlFor={id} className={isLabelHidden ? 'hidden' : undefined}>
        {label}
      </label>
      <div className="input">
        <input
          {...input}
          id={id}
          name={name}
          required={isRequired}
          value={value}
          onChange={({ target }) => onChange?.(target.value)}
          aria-invalid={message === undefined ? undefined : true}
          aria-describedby={message === undefined && description === undefined ? undefined : line}
        />
        {after}
      </div>
      {hasLine && <FieldLine id={line} message={message} description={description} />}
    </div>
  );
};

export type Choice = { value: string; label: string };

/** Turns labels by value into the choices of a select. */
export const choicesOf = (labels: Readonly<Record<string, string>>): Choice[] =>
  Object.entries(labels).map(([value, label]) => ({ value, label }));

/** A native select, which works with assistive technology and on small screens. */
export const Select = ({
  label,
  name,
  description,
  isRequired = false,
  value,
  choices,
  onChange,
}: {
  label: string;
  name?: string;
  description?: string;
  /** Whether the empty value is no answer. */
  isRequired?: boolean;
  value: string;
  choices: readonly Choice[];
  onChange(value: string): void;
}) => {
  const id = useId();
  const line = useId();
  const message = useMessage(name);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        name={name}
        required={isRequired}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={message === undefined ? undefined : true}
        aria-describedby={message === undefined && description === undefined ? undefined : line}
      >
        {choices.map((choice) => (
          <option key={choice.value} value={choice.value}>
            {choice.label}
          </option>
        ))}
      </select>
      <FieldLine id={line} message={message} description={description} />
    </div>
  );
};
