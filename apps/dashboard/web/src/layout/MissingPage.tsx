import { Link } from '@tanstack/react-router';
import { PageHeading } from '../components/pages/PageHeading.tsx';
import { PlainPage } from '../components/pages/PlainPage.tsx';

export const MissingPage = () => (
  <PlainPage>
    <PageHeading>Page not found</PageHeading>
    <p>
      This address has no page. <Link to="/">Go to the first page.</Link>
    </p>
  </PlainPage>
);
