import { Link } from '@tanstack/react-router';
import { useSession } from '../session/session.ts';
import type { Kind } from './kinds.ts';

/** Who brings records to a practice that has none: what an administrator does, and whom staff ask. */
export const HowRecordsCome = ({ kind }: { kind?: Kind }) => {
  const { role } = useSession();
  if (kind === 'clinics') return <p>The operator of the service adds clinics.</p>;
  return (
    <>
      <p>
        The program of your practice writes them with an API key. The operator of the service can import those
        that exist already.
      </p>
      {role === 'administrator' ? (
        <div className="buttons">
          <Link className="button" to="/keys">
            Open API keys
          </Link>
        </div>
      ) : (
        <p>Ask an administrator of your practice.</p>
      )}
    </>
  );
};
