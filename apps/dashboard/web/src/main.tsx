import './styles/global.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyAppearance } from './account/appearance.ts';
import { createPages } from './router.tsx';

applyAppearance();

/** A page that has just loaded is not loaded again: otherwise a missing file would load it for ever. */
const JUST_LOADED_MS = 10_000;
// A new release has other names of files. The page that asks for one of an old name gets the new document.
addEventListener('vite:preloadError', () => {
  if (performance.now() > JUST_LOADED_MS) location.reload();
});

const queries = new QueryClient({
  defaultOptions: {
    // The client of the api retries. Data of the service is old as soon as it is shown.
    queries: { retry: false, staleTime: 2000, gcTime: 60_000, networkMode: 'always' },
    // A request that is done is forgotten with its component: its response may contain a secret.
    // It fails without a connection: otherwise it would wait, and be sent when nobody expects it any more.
    mutations: { retry: false, gcTime: 0, networkMode: 'always' },
  },
});
const root = document.getElementById('root');
if (root === null) throw new Error('The document has no element #root.');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <RouterProvider router={createPages(queries)} />
    </QueryClientProvider>
  </StrictMode>,
);
