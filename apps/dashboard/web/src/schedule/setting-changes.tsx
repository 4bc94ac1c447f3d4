import { ChairsideError, type ResponseInfo } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { UnusableInput } from '../api/problems.ts';
import { ConfirmDialog } from '../components/ConfirmAction.tsx';
import { Versions } from '../components/Versions.tsx';
import { withPrompts } from '../session/prompts.ts';

/** The requests for settings of one kind. `W` are the fields of a form. */
type Records<S, W> = {
  get(id: string): { withResponse(): PromiseLike<{ data: S; response: ResponseInfo }> };
  create(fields: W): PromiseLike<S>;
  update(id: string, fields: W, options: { ifMatch: string | undefined }): PromiseLike<S>;
  delete(id: string, options: { ifMatch: string | undefined }): PromiseLike<S>;
};

const isStale = (error: unknown): boolean => error instanceof ChairsideError && error.status === 412;

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/**
 * Reads a setting, and changes it if it is still the version that the operator has seen.
 *
 * @param change sends the change of this version
 * @returns the other version that is now stored; undefined if the setting was changed
 */
const changeSeen = async <S,>(
  seen: S,
  read: () => PromiseLike<{ data: S; response: ResponseInfo }>,
  change: (version: { ifMatch: string | undefined }) => PromiseLike<unknown>,
): Promise<S | undefined> => {
  for (;;) {
    const { data, response } = await read();
    if (!isSame(data, seen)) return data;
    try {
      await change({ ifMatch: response.etag });
      return undefined;
    } catch (error) {
      // Somebody has changed the setting after it was read here: it is read again.
      if (!isStale(error)) throw error;
    }
  }
};

/** Saves a new or a changed setting. After a change by somebody else, `versions` shows both versions. */
export const useSave = <S extends { _id: string }, W>({
  of,
  records,
  stored,
  fields,
  linesOf,
  onClose,
}: {
  /** The kind of setting, such as `provider`. */
  of: string;
  records: Records<S, W>;
  /** Undefined for a new setting. */
  stored: S | undefined;
  /** What is typed. */
  fields: W;
  /** A version in words. */
  linesOf(version: S | W): string[];
  onClose(): void;
}) => {
  const queries = useQueryClient();
  const [base, setBase] = useState(stored);
  const [isChanged, setChanged] = useState(false);
  const request = useMutation({
    async mutationFn() {
      const other = await withPrompts(async () => {
        if (base === undefined) {
          await records.create(fields);
          return undefined;
        }
        const { _id } = base;
        return changeSeen(
          base,
          () => records.get(_id).withResponse(),
          (version) => records.update(_id, fields, version),
        );
      });
      // A repeated request can find its own change.
      if (other !== undefined && !isSame(linesOf(other), linesOf(fields))) {
        setBase(other);
        setChanged(true);
        return;
      }
      await queries.invalidateQueries({ queryKey: ['schedule'] });
      onClose();
    },
  });
  const versions = isChanged && base !== undefined && (
    <Versions of={of} mine={linesOf(fields)} theirs={linesOf(base)} />
  );
  return { request, versions };
};

/** Deletes a setting, if it is still the version that the list shows. */
export const DeleteSetting = <S extends { _id: string }, W>({
  of,
  name,
  records,
  stored,
  onClose,
  children,
}: {
  of: string;
  /** The name of the setting. */
  name: string;
  records: Records<S, W>;
  stored: S;
  onClose(): void;
  /** The consequences. */
  children: ReactNode;
}) => {
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: ['schedule'] });
  const remove = async () => {
    const { _id } = stored;
    const other = await changeSeen(
      stored,
      () => records.get(_id).withResponse(),
      (version) => records.delete(_id, version),
    );
    if (other === undefined) return;
    await reload();
    throw new UnusableInput(
      `Somebody else has changed this ${of}. The list shows it now: look at it, then delete it again.`,
    );
  };
  return (
    <ConfirmDialog
      danger
      title={`Delete ${name}?`}
      submit="Delete"
      cancel="Keep it"
      act={remove}
      onDone={reload}
      onClose={onClose}
    >
      {children}
    </ConfirmDialog>
  );
};
