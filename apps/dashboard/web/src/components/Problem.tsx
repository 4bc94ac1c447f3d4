import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { problemOf } from '../api/problems.ts';
import { Dismissed } from '../session/prompts.ts';
import './Note.css';

/**
 * An error in an alert, with the request id, by which the request can be found in the log.
 *
 * @param props.children what the operator can do about it
 */
export const Problem = ({ error, children }: { error: unknown; children?: ReactNode }) => {
  if (error === null || error === undefined || error instanceof Dismissed) return null;
  const { message, requestId } = problemOf(error);
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
      {children !== undefined && <div className="buttons">{children}</div>}
    </div>
  );
};
