import { z } from 'zod';
import { idOf, ownId, timeOf } from './fields.ts';

/**
 * The OAuth scope of a connected app. The app can read settings of the practice, free slots and counts of appointments.
 */
export const CONNECTION_SCOPE = 'clinic:read';

/** A tool of the connector that an app has called. */
export const askedToolSchema = z.object({
  name: z.string().meta({ description: 'The name of the tool.', examples: ['find_availability'] }),
  lastUsedTime: timeOf('When the app last called the tool, to the minute.'),
});
export type AskedTool = z.infer<typeof askedToolSchema>;

/** A connected app as the API returns it. */
export const connectionSchema = z
  .object({
    _id: ownId('01JB00000000000000C0NNECT0'),
    clientName: z.string().meta({
      description: 'The name that the app gives itself. Any app can use any name.',
      examples: ['Claude'],
    }),
    redirectHost: z.string().meta({
      description: 'The host that the browser was sent back to after the grant.',
      examples: ['claude.ai'],
    }),
    operatorId: idOf('the administrator who granted the connection', '01JB00000000000000PERAT0R0'),
    createdTime: timeOf('When the connection was granted.'),
    lastUsedTime: timeOf('When the app last used the connection, to the minute.').optional(),
    tools: z.array(askedToolSchema).meta({
      description:
        'What the app has asked for: each tool of the connector that it has called, the last one first.',
    }),
  })
  .meta({
    id: 'Connection',
    description: 'An app, such as an AI assistant, that may read the settings of the practice.',
  });
export type Connection = z.infer<typeof connectionSchema>;
