import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from 'react-aria-components';
import { canPass, problemOf } from '../../api/problems.ts';
import { Dismissed } from '../../session/prompts.ts';
import './Note.css';

/**
 * An error in an alert. A failure of the service has the request id, by which the request can be found in the log.
 *
 * @param props.again repeats the request: a button, unless the response would be the same again
 * @param props.children what else the operator can do about it
 */
export const Problem = ({
  error,
  again,
  children,
}: {
  error: unknown;
  again?: () => unknown;
  children?: ReactNode;
}) => {
  if (error === null || error === undefined || error instanceof Dismissed) return null;
  const { message, requestId } = problemOf(error);
  const isRepeatable = again !== undefined && canPass(error);
  return (
    <div role="alert" className="note bad problem">
      <CircleX aria-hidden="true" />
      <div>
        <p>{message}</p>{' '}
        {requestId !== undefined && (
          <p className="quiet small">
            Request <code>{requestId}</code>
          </p>
        )}
      </div>
      {(isRepeatable || children !== undefined) && (
        <div className="buttons">
          {isRepeatable && <Button onPress={() => void again()}>Try again</Button>}
          {children}
        </div>
      )}
    </div>
  );
};
