import { PageHeading } from '../components/PageHeading.tsx';

/** The page that is shown if the operator's role may not open the requested page. */
export const ForbiddenPage = () => (
  <>
    <PageHeading>Not allowed</PageHeading>
    <p>This page needs the role administrator. Ask an administrator of your practice.</p>
  </>
);
