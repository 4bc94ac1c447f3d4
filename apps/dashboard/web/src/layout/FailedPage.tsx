import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { Button } from 'react-aria-components';
import { PageHeading } from '../components/page-parts/PageHeading.tsx';
import { Problem } from '../components/states/Problem.tsx';

/** The page that is shown if another page failed. */
export const FailedPage = ({ error, reset }: ErrorComponentProps) => {
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  const again = () => {
    queries.reset();
    reset();
    void router.invalidate();
  };
  return (
    <>
      <PageHeading>This page cannot be shown</PageHeading>
      <Problem error={error} />
      <Button onPress={again}>Try again</Button>
    </>
  );
};
