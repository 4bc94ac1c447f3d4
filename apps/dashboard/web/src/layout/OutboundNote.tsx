import { useQuery } from '@tanstack/react-query';
import { Note } from '../components/states/Note.tsx';
import { useSession } from '../session/session.ts';
import { serviceStatusQuery } from './service-status.ts';

/** How often the state is read, and for how long it is used on further pages, in milliseconds. */
const LIFE_MS = 60_000;

const TEXTS = {
  hold: 'The operator of this service holds all webhooks. They wait, and are sent when the operator releases them.',
  off: 'This is a copy for tests: no webhook is sent. Deliveries are skipped.',
} as const;

/** Above every page: that no webhook is sent. Only administrators may read it. */
export const OutboundNote = () => {
  const { role } = useSession();
  const { data } = useQuery({
    ...serviceStatusQuery,
    enabled: role === 'administrator',
    staleTime: LIFE_MS,
    refetchInterval: LIFE_MS,
  });
  if (data === undefined || data.outbound === 'send') return null;
  return (
    <Note tone="warning" label="Webhooks are not sent">
      <p>{TEXTS[data.outbound]}</p>
    </Note>
  );
};
