import { Link } from '@tanstack/react-router';
import { PageHeading } from './PageHeading.tsx';

export const MissingPage = () => (
  <main className="sign-in">
    <PageHeading>Page not found</PageHeading>
    <p>
      This address has no page. <Link to="/">Go to the first page.</Link>
    </p>
  </main>
);
