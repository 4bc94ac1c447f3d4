import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Button } from 'react-aria-components';
import { lastUse } from '../api/last-use.ts';
import { Note } from '../components/states/Note.tsx';
import { Time } from '../components/texts/Time.tsx';
import { checkSession, renewSession, useSession, useSignOutElsewhere } from '../session/session.ts';
import { endOf, NOTICE_MS } from './session-end.ts';

const CHECK_INTERVAL_MS = 15_000;
/** How often the session is read while its end is announced. Another tab may have used it. */
const READ_INTERVAL_MS = 60_000;

/** The time, updated every 15 seconds, and a function that updates it at once. */
const useNow = (): [number, () => void] => {
  const [now, setNow] = useState(() => Date.now());
  const [update] = useState(() => () => setNow(Date.now()));
  useEffect(() => {
    const timer = setInterval(update, CHECK_INTERVAL_MS);
    return () => clearInterval(timer);
  }, [update]);
  return [now, update];
};

/**
 * Announces the end of the session ten minutes in advance, so that the operator can save open work. If another tab ends
 * the session, a dialog hides the page.
 */
export const SessionEnd = () => {
  const queries = useQueryClient();
  const session = useSession();
  useSignOutElsewhere();
  const [now, updateNow] = useNow();
  const [read, setRead] = useState(0);
  const end = endOf(session, lastUse());
  const isNear = end.time - now <= NOTICE_MS;
  const isOld = now - read >= READ_INTERVAL_MS;
  useEffect(() => {
    if (!isNear || !isOld) return;
    // A failure is not shown here. The page that needs the service shows it.
    checkSession(queries).then(
      () => setRead(Date.now()),
      () => setRead(Date.now()),
    );
  }, [isNear, isOld, queries]);
  // A failure leaves the notice as it is.
  const stay = () => renewSession(queries).then(updateNow, () => {});
  // Nothing is announced before the session has been read, because another tab or program may have used it.
  if (!isNear || read === 0) return <div role="status" />;
  const isOpen = end.time > now;
  return (
    <Note
      tone="info"
      role="status"
      {...(isOpen && end.isIdle && { actions: <Button onPress={() => void stay()}>Stay signed in</Button> })}
    >
      {isOpen ? (
        <p>
          Your session ends at <Time value={new Date(end.time).toISOString()} exactly />.{' '}
          {end.isIdle
            ? 'It continues when you use this page.'
            : 'Save what you are editing. You can sign in again then.'}
        </p>
      ) : (
        <p>Your session has ended. Sign in again when you are asked.</p>
      )}
    </Note>
  );
};
