import { z } from 'zod';
import { clinicId, isCut, NO_CLINIC } from './arguments.ts';
import { defineTool, firstRows, refused, resultOf } from './tool.ts';

const provider = z.strictObject({
  id: z.string().describe('For the argument providerId of find_availability.'),
  name: z.string().describe('Display name.'),
  clinicIds: z.array(z.string()).describe('The clinics at which the provider works.'),
});

export const listProviders = defineTool({
  name: 'list_providers',
  title: 'List providers',
  description:
    'Lists the people who treat patients, such as dentists and hygienists: ids, display names and the clinics at which they work.',
  input: z.strictObject({ clinicId: clinicId.optional() }),
  output: z.strictObject({ providers: z.array(provider), isCut: isCut('ask for one clinic') }),
  async run({ schedule }, input) {
    const [found, clinic] = await Promise.all([
      schedule.providers(input),
      input.clinicId === undefined ? 'all' : schedule.findClinic(input.clinicId),
    ]);
    if (clinic === undefined) return refused(NO_CLINIC);
    const { rows, isCut: more } = firstRows(found.rows, found.isCut);
    const providers = rows.map(({ _id, name, clinicIds }) => ({ id: _id, name, clinicIds }));
    return resultOf({ providers, isCut: more });
  },
});
