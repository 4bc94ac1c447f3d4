import { Brand } from '../components/page-parts/Brand.tsx';
import { Waiting } from '../components/states/Waiting.tsx';
import './Shell.css';

/** The frame of the pages while the session is read. The document has the same frame, for the time before. */
export const PendingShell = () => (
  <div className="shell">
    <header className="side">
      <Brand />
    </header>
    <header className="topbar">
      <Brand />
    </header>
    <main>
      <Waiting of="your session" onRetry={() => location.reload()} />
    </main>
  </div>
);
