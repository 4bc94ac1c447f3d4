import {
  isMailbox,
  MAX_SEARCH_WORDS,
  MIN_PHONE_DIGITS,
  nameSearchProblem,
  type Patient,
  patientCreateSchema,
  patientSchema,
  patientUpdateSchema,
  phoneSearchProblem,
  text,
} from '@chairside/domain';
import type { App, Dependencies } from '../context.ts';
import { pathExternalId, pathId } from '../http/path-id.ts';
import { clinicFilter, externalIdFilter, filterBy, idList, idsIn } from '../lists/query.ts';
import { openEventBytes } from '../records/event-bytes.ts';
import { recordReadRoutes } from '../records/read-routes.ts';
import { toldInHeaders, upsertDescription } from '../records/upsert.ts';
import { deleteRecord, type RecordWriter } from '../records/writer.ts';
import { createPatient } from './create.ts';
import { patientExportRoute } from './export.ts';
import { updatePatient, upsertPatient } from './update.ts';

const config = { access: { scope: 'patients:write' }, versioned: true } as const;
const tags = ['Patients'];
const params = pathId('patientId');
const response = { 200: patientSchema };

/** A quoted local part may contain spaces. */
const hasStraySpace = (value: string): boolean => /\s/.test(value) && !isMailbox(value);
const emailFilter = filterBy('with this e-mail address, ignoring case', 'test.patient@example.com');

const filters = {
  clinicId: clinicFilter,
  externalId: externalIdFilter,
  email: emailFilter,
  name: text(500)
    .refine((name) => nameSearchProblem(name) === undefined, {
      error: ({ input }) => nameSearchProblem(String(input)),
    })
    .optional()
    .meta({
      description: `Only patients whose name has, for each of these words, a word that begins with it, or the same word if it has fewer than three letters. Of Chinese, Japanese and Korean characters, two are enough. Case, accents, apostrophes and ways to spell a letter such as \`ü\` and \`ue\` do not matter. At most ${MAX_SEARCH_WORDS} different words. An address is in the logs of proxies: \`POST /api/patients/search\` has the filters in its body.`,
      examples: ['Test Patient'],
    }),
  phone: text(100)
    .refine((phone) => phoneSearchProblem(phone) === undefined, {
      error: ({ input }) => phoneSearchProblem(String(input)),
    })
    .optional()
    .meta({
      description: `Only patients who have this telephone number: the last eight digits are compared, or all if it has fewer, at least ${MIN_PHONE_DIGITS}. Other characters and an extension are ignored. Search for several numbers one by one.`,
      examples: ['+1 202 555 0100'],
    }),
};

/** How patients are written. */
export const patientWriter = (dependencies: Dependencies): RecordWriter<Patient> => ({
  kind: 'patient',
  schema: patientSchema,
  recordsOf: ({ patients }) => patients,
  queue: dependencies.queue,
  store: dependencies.store,
  eventBytes: openEventBytes(dependencies),
});

export const patientRoutes = (app: App, dependencies: Dependencies): void => {
  const writer = patientWriter(dependencies);
  recordReadRoutes(app, dependencies, {
    path: '/api/patients',
    parameter: 'patientId',
    kind: 'patient',
    scope: 'patients:read',
    description: 'Returns patients in the order of `_id`.',
    schema: patientSchema,
    filters: {
      ...filters,
      email: emailFilter.refine((value) => value === undefined || !hasStraySpace(value), {
        // In the query of a URL, + is decoded as a space (URL Standard, 5.1).
        error: ({ input }) =>
          String(input).includes(' ')
            ? 'must not contain a space: in a URL, write + as %2B'
            : 'must not contain white space',
      }),
      _ids: idList,
    },
    searchFilters: {
      ...filters,
      email: emailFilter.refine(
        (value) => value === undefined || !hasStraySpace(value),
        'must not contain white space',
      ),
      _ids: idsIn,
    },
    toFilter: ({ clinicId, externalId, email, name, phone, _ids }) => ({
      clinicId,
      externalId,
      email,
      name,
      phone,
      ids: _ids,
    }),
    records: ({ patients }) => patients,
    findByExternalId: ({ patients }, externalId) => patients.findByExternalId(externalId),
  });
  patientExportRoute(app, dependencies);

  app.post(
    '/api/patients',
    {
      config: { ...config, idempotent: true },
      schema: {
        tags,
        operationId: 'createPatient',
        summary: 'Create a patient',
        description: 'Creates a patient and sends `patient.created`.',
        body: patientCreateSchema,
        response,
      },
    },
    (request, reply) => createPatient(writer, { request, reply }, request.body),
  );

  app.put(
    '/api/patients/:patientId',
    {
      config,
      schema: {
        tags,
        operationId: 'updatePatient',
        summary: 'Change a patient',
        description:
          'Changes the fields in the body and sends `patient.updated`, even if nothing changes. An absent field keeps its value, `null` clears it. The body may be the response of a GET.',
        params,
        body: patientUpdateSchema,
        response,
        refusals: [409],
      },
    },
    (request, reply) => updatePatient(writer, { request, reply }, request.params.patientId, request.body),
  );

  app.put(
    '/api/patients/external/:externalId',
    {
      config: { ...config, upserts: true },
      schema: {
        tags,
        operationId: 'upsertPatient',
        summary: 'Change or create a patient by external id',
        description: `${upsertDescription('patient')} Then \`clinicId\` is required.`,
        params: pathExternalId,
        body: patientUpdateSchema,
        response,
        refusals: [409],
      },
    },
    async (request, reply) => {
      const call = { request, reply };
      return toldInHeaders(call, await upsertPatient(writer, call, request.params.externalId, request.body));
    },
  );

  app.delete(
    '/api/patients/:patientId',
    {
      config,
      schema: {
        tags,
        operationId: 'deletePatient',
        summary: 'Delete a patient',
        description:
          'Deletes a patient, returns it, and sends `patient.deleted`. The appointments of the patient stay.',
        params,
        response,
      },
    },
    (request, reply) => deleteRecord(writer, { request, reply }, request.params.patientId),
  );
};
