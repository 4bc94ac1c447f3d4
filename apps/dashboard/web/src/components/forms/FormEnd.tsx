import { type ReactNode, useContext } from 'react';
import { Problem } from '../states/Problem.tsx';
import { FormContext } from './form-state.ts';

const invalidText = (count: number): string =>
  count === 1 ? 'One field needs a change.' : `${count} fields need a change.`;

/**
 * The end of a form: a place for the message of a refusal, which is kept free so that the buttons below never move, and
 * the buttons.
 *
 * @param props.message shown instead of the failure of the request
 */
export const FormEnd = ({ message, children }: { message?: ReactNode; children: ReactNode }) => {
  const { invalid, error } = useContext(FormContext);
  return (
    <footer className="form-end">
      <div className="say" {...((error !== null || invalid > 0) && { tabIndex: 0 })}>
        {invalid > 0 ? (
          <p role="alert" className="bad">
            {invalidText(invalid)}
          </p>
        ) : (
          (message ?? <Problem error={error} />)
        )}
      </div>
      <div className="buttons">{children}</div>
    </footer>
  );
};
