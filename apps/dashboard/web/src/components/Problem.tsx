import { problemOf } from '../api/problems.ts';
import { Dismissed } from '../session/prompts.ts';
import './Problem.css';

/** An error in an alert, with the request id, by which the request can be found in the log. */
export const Problem = ({ error }: { error: unknown }) => {
  if (error === null || error === undefined || error instanceof Dismissed) return null;
  const { message, requestId } = problemOf(error);
  return (
    <div role="alert" className="problem">
      <p>{message}</p>
      {requestId !== undefined && (
        <p className="quiet">
          Request <code>{requestId}</code>
        </p>
      )}
    </div>
  );
};
