import { PageHeading } from '../components/PageHeading.tsx';

/** The page for a role that may not see what the address names. */
export const ForbiddenPage = () => (
  <>
    <PageHeading>Not allowed</PageHeading>
    <p>This page needs the role administrator. Ask an administrator of your practice.</p>
  </>
);
