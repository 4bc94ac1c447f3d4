import { PlainPage } from '../components/page-parts/PlainPage.tsx';
import { Waiting } from '../components/states/Waiting.tsx';

/** The page that is shown while the session is read. */
export const PendingPage = () => (
  <PlainPage>
    <Waiting of="your session" onRetry={() => location.reload()} />
  </PlainPage>
);
