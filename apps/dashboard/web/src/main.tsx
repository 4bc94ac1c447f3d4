import './styles/tokens.css';
import './styles/base.css';
import './styles/parts.css';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { applyAppearance } from './account/appearance.ts';
import { createPages } from './router.tsx';

applyAppearance();

const queries = new QueryClient({
  defaultOptions: {
    // The client of the api retries. Data of the service is old as soon as it is shown.
    queries: { retry: false, staleTime: 2000, gcTime: 60_000 },
    mutations: { retry: false },
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
