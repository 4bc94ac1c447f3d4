import {
  importSchemas,
  isSettingKind,
  type RecordKind,
  type SettingKind,
  settingImportSchemas,
} from '@chairside/domain';
import { unguarded } from '@chairside/terminal';
import type { z } from 'zod';
import { UsageFailure } from './failure.ts';

/** How the text of a cell becomes the value of its field. */
type CellType = 'text' | 'number' | 'boolean' | 'list';

const typeOf = (field: z.ZodType): CellType => {
  const accepts = (value: unknown): boolean => field.safeParse(value).success;
  if (accepts([]) || accepts(['1'])) return 'list';
  if (accepts(true)) return 'boolean';
  // A price may be a number or a text. As text it keeps all of its digits.
  return accepts(1) && !accepts('1') ? 'number' : 'text';
};

const DECIMAL = /^-?\d+(\.\d+)?$/;

/** A text that is not of the type is returned as it is: the check of the line says what is wrong. */
const cellValue = (type: CellType, cell: string): unknown => {
  const text = cell.trim();
  switch (type) {
    case 'text':
      return unguarded(cell);
    case 'number':
      return DECIMAL.test(text) ? Number(text) : cell;
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : cell;
    case 'list':
      if (!text.startsWith('[')) return text.split(',').map((each) => each.trim());
      try {
        return JSON.parse(text);
      } catch {
        return cell;
      }
  }
};

/** How the cells of a CSV file become a line of an import. */
export type Cells = {
  isKnown(name: string): boolean;
  /** @throws {UsageFailure} for a name that is no field */
  fieldOf(name: string): string;
  /** The line. The field of an empty cell is left out. */
  lineOf(cells: Readonly<Record<string, string>>): Record<string, unknown>;
};

const SHORT_NAME = /^\w{1,40}$/;

/**
 * The columns that a CSV file of this kind can have: the fields of a line, and for settings `deleted`.
 *
 * @param file the name of the file in messages
 */
export const cellsOf = (kind: RecordKind | SettingKind, file: string): Cells => {
  const { shape } = isSettingKind(kind) ? settingImportSchemas[kind] : importSchemas[kind];
  const types = new Map(Object.entries(shape).map(([name, field]) => [name, typeOf(field as z.ZodType)]));
  if (isSettingKind(kind)) types.set('deleted', 'boolean');
  return {
    isKnown: (name) => types.has(name),
    fieldOf(name) {
      if (types.has(name)) return name;
      // The first line may be a record, because the names are missing.
      const shown = SHORT_NAME.test(name) ? name : '(not a field name)';
      throw new UsageFailure(
        `${file}: there is no field ${shown}. The first line must name the columns, which can be ${[...types.keys()].join(', ')}.`,
      );
    },
    lineOf: (cells) =>
      Object.fromEntries(
        Object.entries(cells).flatMap(([name, cell]) =>
          cell.trim() === '' ? [] : [[name, cellValue(types.get(name) ?? 'text', cell)]],
        ),
      ),
  };
};
