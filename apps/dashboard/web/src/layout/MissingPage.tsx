import { Link } from '@tanstack/react-router';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';

export const MissingPage = () => (
  <>
    <PageHeading>Page not found</PageHeading>
    <p>
      This address has no page. <Link to="/">Go to the first page.</Link>
    </p>
  </>
);
