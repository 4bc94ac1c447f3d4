import { useContext, useEffect, useId, useRef } from 'react';
import { FieldLine } from './Field.tsx';
import { FormContext } from './form-state.ts';

/**
 * A field for several lines.
 *
 * @param props.problem why the text cannot be used, for the moment when the form is submitted
 */
export const TextArea = ({
  label,
  name,
  description,
  problem = '',
  value,
  onChange,
}: {
  label: string;
  name: string;
  description?: string;
  problem?: string;
  value: string;
  onChange(value: string): void;
}) => {
  const id = useId();
  const line = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  const message = useContext(FormContext).messages[name];
  useEffect(() => area.current?.setCustomValidity(problem), [problem]);
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={area}
        id={id}
        name={name}
        rows={5}
        // Its text may be confidential: some browsers send it to a spelling service, or keep it.
        spellCheck={false}
        autoComplete="off"
        value={value}
        onChange={({ target }) => onChange(target.value)}
        aria-invalid={message === undefined ? undefined : true}
        aria-describedby={line}
      />
      <FieldLine id={line} message={message} description={description} />
    </div>
  );
};
