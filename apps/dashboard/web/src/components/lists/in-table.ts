import { createContext } from 'react';

/** Whether a component is in a table, whose rows show the exact times and the whole texts when they get the focus. */
export const InTable = createContext(false);
