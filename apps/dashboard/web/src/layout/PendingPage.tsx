import { PlainPage } from '../components/PlainPage.tsx';
import { Waiting } from '../components/Waiting.tsx';

/** The page that is shown while the session is read. */
export const PendingPage = () => (
  <PlainPage>
    <Waiting of="your session" onRetry={() => location.reload()} />
  </PlainPage>
);
