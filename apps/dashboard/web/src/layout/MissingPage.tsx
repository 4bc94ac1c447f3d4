import { Link } from '@tanstack/react-router';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';
import { PlainPage } from '../components/page-parts/PlainPage.tsx';

export const MissingPage = () => (
  <PlainPage>
    <PageHeading>Page not found</PageHeading>
    <p>
      This address has no page. <Link to="/">Go to the first page.</Link>
    </p>
  </PlainPage>
);
