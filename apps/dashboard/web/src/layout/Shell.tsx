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

/** The pages of the navigation. Staff may also open the pages of events, to which the pages of records link. */
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

/** The code of the other pages is loaded this long after the first page. */
const IDLE_MS = 1000;

/** Resolves when the browser is idle. Safari cannot report this, so there it resolves in the next task. */
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
      // After a failure other than 503, the cookie may still exist, and the page must not show that the operator is
      // signed out.
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
 * Loads the code of the pages in advance, so that opening a page waits only for its data. The pages are loaded one
 * after the other while the browser is idle, so that they do not delay the reaction to input.
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
        // If the code cannot be loaded, the page itself shows the failure when it is opened.
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

/**
 * The frame of the pages for signed-in operators: the navigation with the pages of their role, and the dialogs of the
 * session.
 */
export const Shell = () => {
  const { role } = useSession();
  // Only administrators preload pages, so that staff do not load pages that they may not see.
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
