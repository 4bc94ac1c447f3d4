import { Ellipsis } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from 'react-aria-components';
import { afterPaint } from '../transitions/after-paint.ts';
import { Menu } from './Menu.tsx';
import './Actions.css';

/** What can be done with a row: a name, and the dialog that does it, or what is done at once. */
export type RowAction = { name: string; isDanger?: boolean } & (
  | { dialog(close: () => void): ReactNode }
  | { act(): void }
);

/**
 * The actions of a row.
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
  const start = (action: RowAction) =>
    'act' in action ? action.act() : afterPaint(() => setOpen(action.name));
  const opened = actions.find(({ name }) => name === open);
  return (
    <>
      {areButtons && (
        <span className="row-buttons">
          {actions.map((action) => (
            <Button
              key={action.name}
              className="subtle compact"
              aria-label={`${action.name} ${of}`}
              onPress={() => start(action)}
            >
              {action.name}
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
          actions={actions.map((action) => ({
            id: action.name,
            name: action.name,
            isDanger: action.isDanger ?? false,
            act: () => start(action),
          }))}
        />
      </span>
      {opened !== undefined && 'dialog' in opened && opened.dialog(close)}
    </>
  );
};
