import { type ReactNode, useContext, useId } from 'react';
import { FieldLine } from './Field.tsx';
import { FormContext } from './form-state.ts';
import './Check.css';

/**
 * A check box with its label.
 *
 * @param props.isSome whether it stands for several values of which some are chosen
 */
export const Check = ({
  name,
  isChecked,
  isSome = false,
  isDisabled = false,
  onChange,
  children,
}: {
  name?: string;
  isChecked: boolean;
  isSome?: boolean;
  isDisabled?: boolean;
  onChange(isChecked: boolean): void;
  children: ReactNode;
}) => (
  <label className="check">
    <input
      type="checkbox"
      ref={(input) => {
        if (input !== null) input.indeterminate = isSome;
      }}
      name={name}
      checked={isChecked}
      disabled={isDisabled}
      onChange={({ target }) => onChange(target.checked)}
    />
    <span>{children}</span>
  </label>
);

/** Check boxes for several values, with the message of the last refusal of the field. */
export const Checks = ({
  label,
  name,
  description,
  children,
}: {
  label: string;
  name: string;
  description?: string;
  children: ReactNode;
}) => {
  const line = useId();
  const message = useContext(FormContext).messages[name];
  return (
    <fieldset className="field" aria-describedby={line}>
      <legend>{label}</legend>
      {children}
      <FieldLine id={line} message={message} description={description} />
    </fieldset>
  );
};

/** Adds a value to a list or removes it. */
export const toggled = <Value,>(values: readonly Value[], value: Value, isChosen: boolean): Value[] =>
  isChosen ? [...values, value] : values.filter((each) => each !== value);
