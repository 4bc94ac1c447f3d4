import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { exists } from '../../api/exists.ts';
import { problemOf, UnusableInput } from '../../api/problems.ts';
import { ID_HINT, isId } from '../../components/lists/id.ts';
import { Search } from '../../components/lists/Search.tsx';
import { useIfShown } from '../../components/states/if-shown.ts';
import { deliveryQuery, hasDeliveries } from '../../deliveries/requests.ts';
import { Dismissed } from '../../session/prompts.ts';

/** A delivery, or what deliveries have in common. */
export type FoundDeliveries = { kind: 'delivery' | 'event' | 'request'; id: string };

/**
 * Finds what the list of deliveries can show: a delivery or the deliveries of an event. Any other id is taken as the id
 * of a request.
 *
 * @throws {UnusableInput} if the text is no id
 * @throws {ChairsideError}
 */
const findDeliveries = async (queries: QueryClient, id: string): Promise<FoundDeliveries> => {
  if (!isId(id)) throw new UnusableInput(ID_HINT);
  if (await exists(queries.fetchQuery(deliveryQuery(id)))) return { kind: 'delivery', id };
  return { kind: (await hasDeliveries({ eventId: id })) ? 'event' : 'request', id };
};

/** One field for the id of a delivery, an event or a request. */
export const IdSearch = ({ onFound }: { onFound(found: FoundDeliveries): void }) => {
  const [id, setId] = useState('');
  const queries = useQueryClient();
  const ifShown = useIfShown();
  const isSending = useRef(false);
  const { mutateAsync, isPending, error } = useMutation({
    mutationFn: () => findDeliveries(queries, id.trim()),
    onSuccess: (found) => ifShown(() => onFound(found)),
  });
  const find = async (): Promise<void> => {
    if (isSending.current || id.trim() === '') return;
    isSending.current = true;
    // The request keeps its error, which is shown below the filters.
    await mutateAsync().catch(() => {});
    isSending.current = false;
  };
  return (
    <>
      <Search
        label="Id of a delivery, an event or a request"
        maxLength={100}
        value={id}
        isPending={isPending}
        onChange={setId}
        onSubmit={() => void find()}
      />
      {error !== null && !(error instanceof Dismissed) && (
        <p role="alert" className="refused">
          {problemOf(error).message}
        </p>
      )}
    </>
  );
};
