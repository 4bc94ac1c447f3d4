import { RefreshCw } from 'lucide-react';
import { Button } from 'react-aria-components';

/** A button that reads a list again, for lists that are not live. */
export const RefreshButton = ({ query }: { query: { isFetching: boolean; refetch(): unknown } }) => (
  <Button isPending={query.isFetching} onPress={() => void query.refetch()}>
    <RefreshCw aria-hidden="true" />
    Refresh
  </Button>
);
