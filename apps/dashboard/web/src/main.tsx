import './styles/global.css';
import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, startTransition } from 'react';
import { I18nProvider } from 'react-aria-components';
import { createRoot } from 'react-dom/client';
import { noteFailedRead } from './api/problems.ts';
import { removeUnnamedAnnouncements } from './components/states/announcements.ts';
import { LANGUAGE } from './language.ts';
import { applyAppearance } from './layout/appearance.ts';
import { reloadForNewBuild } from './new-build.ts';
import { createPages } from './router.tsx';
import { prepareStartAfresh } from './session/start-afresh.ts';

applyAppearance();
removeUnnamedAnnouncements();

reloadForNewBuild();
prepareStartAfresh();

const queries = new QueryClient({
  queryCache: new QueryCache({ onError: noteFailedRead }),
  defaultOptions: {
    // The client of the api retries requests itself, so the queries do not. Data is stale after two seconds.
    queries: { retry: false, staleTime: 2000, gcTime: 60_000, networkMode: 'always' },
    // The result of a mutation is discarded with its component, because it may contain a secret. Without a connection,
    // a mutation fails. Otherwise it would wait and be sent when nobody expects it anymore.
    mutations: { retry: false, gcTime: 0, networkMode: 'always' },
  },
});
const root = document.getElementById('root');
if (root === null) throw new Error('The document has no element #root.');
const pages = createPages(queries);
/** How long the empty frame of the document stays at most, in milliseconds: then the page says what it waits for. */
const FRAME_MS = 1000;
await Promise.race([
  // The page itself shows a failure.
  pages.load().catch(() => {}),
  new Promise((resolve) => setTimeout(resolve, FRAME_MS)),
]);
// In a transition, the first page is rendered in parts, between which the browser reacts.
startTransition(() =>
  createRoot(root).render(
    <StrictMode>
      <I18nProvider locale={LANGUAGE}>
        <QueryClientProvider client={queries}>
          <RouterProvider router={pages} />
        </QueryClientProvider>
      </I18nProvider>
    </StrictMode>,
  ),
);
