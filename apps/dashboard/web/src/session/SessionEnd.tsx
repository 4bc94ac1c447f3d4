import { useEffect, useState } from 'react';
import { Time } from '../components/Time.tsx';
import { useSession } from './session.ts';

/** How long before the end of the session it is announced, in milliseconds. */
const NOTICE = 10 * 60_000;
const CHECK_INTERVAL = 15_000;

/** Announces the end of the session ten minutes before it, so that the operator can save what is open. */
export const SessionEnd = () => {
  const { expiryTime } = useSession();
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), CHECK_INTERVAL);
    return () => clearInterval(timer);
  }, []);
  const left = Date.parse(expiryTime) - now;
  if (left > NOTICE) return null;
  return (
    <div role="status" className="notice">
      {left > 0 ? (
        <>
          Your session ends at <Time value={expiryTime} />. Save what you are editing. You can sign in again
          then.
        </>
      ) : (
        'Your session has ended. Sign in again when you are asked.'
      )}
    </div>
  );
};
