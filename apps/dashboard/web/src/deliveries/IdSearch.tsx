import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { problemOf } from '../api/problems.ts';
import { Search } from '../components/lists/Search.tsx';
import { useIfShown } from '../components/states/if-shown.ts';
import { type Found, findDeliveries } from '../find/find.ts';
import { Dismissed } from '../session/prompts.ts';

/** One field for the id of a delivery, an event or a request. */
export const IdSearch = ({ onFound }: { onFound(found: Found): void }) => {
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
