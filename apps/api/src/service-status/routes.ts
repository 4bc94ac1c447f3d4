import { serviceStatusSchema } from '@chairside/domain';
import type { App } from '../context.ts';

export const serviceStatusRoutes = (app: App): void => {
  app.get(
    '/api/servicestatus',
    {
      config: { access: { role: 'administrator', program: 'webhooks' } },
      schema: {
        tags: ['Service status'],
        operationId: 'getServiceStatus',
        summary: 'Get the state of the service',
        description:
          'Returns how much waits in the organization, or in the clinics of a program token: events that have no deliveries yet, and deliveries that have not been sent. It also shows whether an outage of the service is declared.',
        example: { outageTime: undefined },
        response: { 200: serviceStatusSchema },
      },
    },
    (request) => request.store.serviceStatus.read(),
  );
};
