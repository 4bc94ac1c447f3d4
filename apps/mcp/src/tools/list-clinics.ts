import { z } from 'zod';
import { isCut } from './arguments.ts';
import { defineTool, firstRows, resultOf } from './tool.ts';

const clinic = z.strictObject({
  id: z.string().describe('For the argument clinicId of the other tools.'),
  name: z.string().optional(),
  currency: z.string().optional().describe('ISO 4217.'),
  locale: z.string().optional().describe('Language tag of BCP 47.'),
  timeZone: z.string().optional().describe('IANA time zone. Days and local times of the clinic are in it.'),
});

export const listClinics = defineTool({
  name: 'list_clinics',
  title: 'List clinics',
  description:
    'Lists the clinics of the practice with their ids, names, currencies, locales and time zones. Call it first: most other tools need the id of a clinic.',
  input: z.strictObject({}),
  output: z.strictObject({ clinics: z.array(clinic), isCut: isCut('the other clinics cannot be listed') }),
  async run({ schedule }) {
    const found = await schedule.clinics();
    const { rows, isCut: more } = firstRows(found.rows, found.isCut);
    const clinics = rows.map(({ _id, name, currency, defaultLocale, timezone }) => ({
      id: _id,
      name,
      currency,
      locale: defaultLocale,
      timeZone: timezone,
    }));
    return resultOf({ clinics, isCut: more });
  },
});
