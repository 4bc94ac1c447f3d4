import { text } from '@chairside/domain';
import { z } from 'zod';
import { clinicId, isCut, NO_CLINIC } from './arguments.ts';
import { defineTool, firstRows, refused, resultOf } from './tool.ts';

const procedure = z.strictObject({
  id: z.string().describe('For the argument procedureId of find_availability.'),
  name: z.string(),
  code: z.string().optional().describe('Code in the fee schedule of the country.'),
  price: z.string().optional().describe('Decimal amount in the currency, such as 80.00.'),
  currency: z.string().optional().describe('ISO 4217.'),
  durationMinutes: z.int(),
  bookable: z.boolean().describe('Whether patients may book the procedure themselves.'),
});

export const listProcedures = defineTool({
  name: 'list_procedures',
  title: 'List procedures',
  description:
    'Lists the price list of the practice: procedures with ids, names, codes, prices, durations, and whether patients may book them.',
  input: z.strictObject({
    clinicId: clinicId.optional().describe('Only procedures that this clinic offers.'),
    query: text(100)
      .min(1, 'must not be empty')
      .optional()
      .describe('Only procedures whose name or code contains this text, in upper or lower case.'),
  }),
  output: z.strictObject({ procedures: z.array(procedure), isCut: isCut('narrow the search with query') }),
  async run({ schedule }, input) {
    const [found, clinic] = await Promise.all([
      schedule.procedures(input),
      input.clinicId === undefined ? 'all' : schedule.findClinic(input.clinicId),
    ]);
    if (clinic === undefined) return refused(NO_CLINIC);
    const { rows, isCut: more } = firstRows(found.rows, found.isCut);
    const procedures = rows.map(({ _id, name, code, price, currency, durationMinutes, bookable }) => ({
      id: _id,
      name,
      code,
      // A stored price is a number or a text. A schema with only one type works with more assistants.
      price: price === undefined ? undefined : String(price),
      currency,
      durationMinutes,
      bookable,
    }));
    return resultOf({ procedures, isCut: more });
  },
});
