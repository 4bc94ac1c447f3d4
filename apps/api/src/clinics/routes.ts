import { clinicSchema } from '@chairside/domain';
import type { App, Dependencies } from '../app.ts';
import { rowSerializerOf } from '../plugins/serialization.ts';
import { sendList } from '../plugins/streamed-list.ts';

export const clinicRoutes = (app: App, { store }: Dependencies): void => {
  const stringifyRow = rowSerializerOf(clinicSchema);

  app.get('/api/clinics', { config: { access: { scope: 'clinics:read' } } }, async (request, reply) =>
    sendList(reply, store.organization(request.principal.organizationId).clinics.list({}), stringifyRow),
  );
};
