import type { ReactNode } from 'react';
import type { Column } from '../../components/lists/Table.tsx';
import { Actions } from '../../components/menus/Actions.tsx';
import { tip } from '../../components/texts/tip.ts';
import { visibleText } from '../../components/texts/visible-text.ts';

/** The column that names the settings of a list. */
export const nameColumn = <S extends { name: string }>(grow: 1 | 2): Column<S> => ({
  name: 'Name',
  cell: ({ name }) => (
    <bdi className="strong" {...tip(visibleText(name))}>
      {visibleText(name)}
    </bdi>
  ),
  isHeader: true,
  grow,
  card: '1',
});

/** A column with a text, which may be cut off. */
export const textColumn = <S,>(
  name: string,
  textOf: (setting: S) => string,
  layout: Pick<Column<S>, 'from' | 'card'>,
): Column<S> => ({
  ...layout,
  name,
  cell: (setting) => <span {...tip(textOf(setting))}>{textOf(setting)}</span>,
  grow: 1,
});

/** Returns the dialog for a setting. */
type DialogOf<S> = (setting: S, close: () => void) => ReactNode;

/** The column with the buttons of administrators. @param nameOf the name of a row, for the names of its buttons */
export const actionsColumn = <S,>(
  nameOf: (setting: S) => string,
  edit: DialogOf<S>,
  remove: DialogOf<S>,
): Column<S> => ({
  name: 'Actions',
  isNameHidden: true,
  cell: (setting) => (
    <Actions
      of={nameOf(setting)}
      areButtons
      actions={[
        { name: 'Edit', dialog: (close) => edit(setting, close) },
        { name: 'Delete', isDanger: true, dialog: (close) => remove(setting, close) },
      ]}
    />
  ),
  card: '1r',
});
