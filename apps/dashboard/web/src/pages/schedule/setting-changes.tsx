import type { Call } from '@chairside/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { UnusableInput } from '../../api/problems.ts';
import { ConfirmDialog } from '../../components/dialogs/ConfirmAction.tsx';
import { Versions } from '../../components/forms/Versions.tsx';
import { offerUndo } from '../../components/undo/undo.ts';
import { withPrompts } from '../../session/prompts.ts';
import { changeSeen, undoOwn } from '../../session/seen-change.ts';

/** The requests for settings of one kind. `W` are the fields of a form. */
type Records<S, W> = {
  get(id: string): Call<S>;
  create(fields: W): PromiseLike<S>;
  update(id: string, fields: W, options: { ifMatch: string | undefined }): PromiseLike<S>;
  delete(id: string, options: { ifMatch: string | undefined }): PromiseLike<S>;
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** The values that a setting had before these fields were changed. `null` clears a field. */
const before = <S extends object, W extends object>(stored: S, fields: W): W =>
  Object.fromEntries(Object.keys(fields).map((name) => [name, stored[name as keyof S] ?? null])) as W;

/** Saves a new or a changed setting. After a change by somebody else, `versions` shows both versions. */
export const useSave = <S extends { _id: string }, W extends object>({
  of,
  records,
  stored,
  fields,
  linesOf,
  confirm = () => Promise.resolve(true),
  onCreate,
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
  /** Asks whether to save what is typed. Nothing is sent unless it returns true. */
  confirm?: () => Promise<boolean>;
  /** Gets a new setting when the list has been read again. */
  onCreate?: ((created: S) => void) | undefined;
  onClose(): void;
}) => {
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: ['schedule'] });
  const [base, setBase] = useState(stored);
  const [isChanged, setChanged] = useState(false);
  const request = useMutation({
    async mutationFn() {
      if (!(await confirm())) return;
      const result =
        base === undefined
          ? { saved: await withPrompts(() => records.create(fields)) }
          : await changeSeen(
              () => records.get(base._id).withResponse(),
              (read) => isSame(read, base),
              (ifMatch) => records.update(base._id, fields, { ifMatch }),
            );
      // A repeated request can find its own change.
      if ('theirs' in result && !isSame(linesOf(result.theirs), linesOf(fields))) {
        setBase(result.theirs);
        setChanged(true);
        return;
      }
      await reload();
      onClose();
      const saved = 'saved' in result ? result.saved : result.theirs;
      if (base === undefined) return onCreate?.(saved);
      if (isSame(saved, base)) return;
      offerUndo({
        done: `The ${of} is changed.`,
        undone: `The ${of} is as it was before.`,
        async undo() {
          await undoOwn(
            () => records.get(base._id).withResponse(),
            (read) => isSame(read, saved),
            (read) => isSame(before(read, fields), before(base, fields)),
            (ifMatch) => records.update(base._id, before(base, fields), { ifMatch }),
          );
          await reload();
        },
      });
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
  again,
  onClose,
  children,
}: {
  of: string;
  /** The name of the setting. */
  name: string;
  records: Records<S, W>;
  stored: S;
  /** The fields with which it is created again, if nothing refers to its id. Otherwise it cannot be undone. */
  again?: W;
  onClose(): void;
  /** The consequences. */
  children: ReactNode;
}) => {
  const queries = useQueryClient();
  const reload = () => queries.invalidateQueries({ queryKey: ['schedule'] });
  const remove = async () => {
    const { _id } = stored;
    const result = await changeSeen(
      () => records.get(_id).withResponse(),
      (read) => isSame(read, stored),
      (ifMatch) => records.delete(_id, { ifMatch }),
    );
    if ('saved' in result) {
      if (again === undefined) return;
      return offerUndo({
        done: `The ${of} is deleted.`,
        undone: `The ${of} is back, with a new id.`,
        async undo() {
          await records.create(again);
          await reload();
        },
      });
    }
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
