import { ChairsideError } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Button } from 'react-aria-components';
import { signOut } from '../api/session-calls.ts';
import { Brand } from '../components/Brand.tsx';
import { Problem } from '../components/Problem.tsx';
import { type Role, useSession } from '../session/session.ts';
import { PromptDialogs } from '../sign-in/PromptDialogs.tsx';
import { SessionEnd } from './SessionEnd.tsx';
import './Shell.css';

/** The pages of the navigation. Staff may also open the pages of events, which the pages of records lead to. */
const PAGES = [
  { to: '/', name: 'Overview', role: 'administrator' },
  { to: '/webhooks', name: 'Webhooks', role: 'administrator' },
  { to: '/deliveries', name: 'Deliveries', role: 'administrator' },
  { to: '/events', name: 'Events', role: 'administrator' },
  { to: '/records', name: 'Records', role: 'staff' },
  { to: '/keys', name: 'API keys', role: 'administrator' },
  { to: '/tokens', name: 'Access tokens', role: 'staff' },
  { to: '/operators', name: 'Operators', role: 'administrator' },
  { to: '/audit', name: 'Audit log', role: 'administrator' },
  { to: '/connections', name: 'Connected apps', role: 'administrator' },
  { to: '/account', name: 'Account', role: 'staff' },
] as const satisfies readonly { to: string; name: string; role: Role }[];

/** How long after the first page the code of the others is loaded. */
const IDLE_MS = 1000;

/** Resolves when the browser has nothing else to do. Safari does not say it, so there it is the next task. */
const untilIdle = (): Promise<void> =>
  new Promise((resolve) => {
    if ('requestIdleCallback' in window) requestIdleCallback(() => resolve());
    else setTimeout(resolve);
  });

const SignOut = () => {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const request = useMutation({
    mutationFn: signOut,
    async onSettled(_result, error) {
      // Without a response the cookie is still there, and the page must not claim that it is gone.
      if (error !== null && !(error instanceof ChairsideError && error.status === 503)) return;
      // No data of the session may stay in memory.
      await queries.cancelQueries();
      queries.clear();
      await navigate({ to: '/sign-in' });
    },
  });
  return (
    <>
      <Button onPress={() => request.mutate()} isPending={request.isPending}>
        Sign out
      </Button>
      <Problem error={request.error} />
    </>
  );
};

/**
 * Loads the code of the other pages, so that a change of pages waits for data only. It loads one after the other while the
 * browser is idle: a press between them does not wait.
 */
const usePreloadedPages = (isWanted: boolean): void => {
  const { routesById } = useRouter();
  useEffect(() => {
    if (!isWanted) return;
    let isOver = false;
    const load = async () => {
      for (const { options } of Object.values(routesById)) {
        const component = options.component as { preload?: () => Promise<void> } | undefined;
        if (component?.preload === undefined) continue;
        await untilIdle();
        if (isOver) return;
        // The page itself shows that its code cannot be loaded.
        await component.preload?.().catch(() => {});
      }
    };
    const timer = setTimeout(() => void load(), IDLE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [isWanted, routesById]);
};

/** The frame of every page for signed-in operators: the pages that their role may see, and the dialogs of the session. */
export const Shell = () => {
  const { role } = useSession();
  // Staff do not load the pages that they may not see.
  usePreloadedPages(role === 'administrator');
  const pages = PAGES.filter((page) => role === 'administrator' || page.role === 'staff');
  return (
    <div className="shell">
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header>
        <Brand />
        <nav aria-label="Main">
          <ul>
            {pages.map(({ to, name }) => (
              <li key={to}>
                <Link to={to} activeOptions={{ exact: to === '/' }}>
                  {name}
                </Link>
              </li>
            ))}
          </ul>
        </nav>
        <SignOut />
      </header>
      <main id="content" tabIndex={-1}>
        <SessionEnd />
        <Outlet />
      </main>
      <PromptDialogs />
    </div>
  );
};
