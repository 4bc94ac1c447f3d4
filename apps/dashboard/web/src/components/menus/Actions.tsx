import { Ellipsis } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { afterPaint } from '../transitions/after-paint.ts';
import { Menu } from './Menu.tsx';
import './Actions.css';

/** What can be done with a row: a name, and the dialog that does it. */
export type RowAction = { name: string; isDanger?: boolean; dialog(close: () => void): ReactNode };

/**
 * The actions of a row. Each opens a dialog.
 *
 * @param props.of the name of the row, which makes the names of the buttons unique
 * @param props.areButtons shows a button for each action where the list is wide enough; otherwise they are in a menu
 */
export const Actions = ({
  of,
  areButtons = false,
  actions,
}: {
  of: string;
  areButtons?: boolean;
  actions: readonly RowAction[];
}) => {
  const [open, setOpen] = useState<string>();
  // The function keeps its identity, so that an effect of the dialog can depend on it.
  const [close] = useState(() => () => setOpen(undefined));
  const show = (name: string) => afterPaint(() => setOpen(name));
  return (
    <>
      {areButtons && (
        <span className="row-buttons">
          {actions.map(({ name }) => (
            <Button
              key={name}
              className="subtle compact"
              aria-label={`${name} ${of}`}
              onPress={() => show(name)}
            >
              {name}
            </Button>
          ))}
        </span>
      )}
      <span className={areButtons ? 'row-menu narrow' : 'row-menu'}>
        <Menu
          label={`Actions for ${of}`}
          button={
            <Button className="subtle icon" aria-label={`Actions for ${of}`}>
              <Ellipsis aria-hidden="true" />
            </Button>
          }
          actions={actions.map(({ name, isDanger = false }) => ({
            id: name,
            name,
            isDanger,
            act: () => show(name),
          }))}
        />
      </span>
      {actions.find(({ name }) => name === open)?.dialog(close)}
    </>
  );
};
