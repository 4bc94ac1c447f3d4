import type { WebhookDelivery } from '@chairside/client';
import { queryOptions } from '@tanstack/react-query';
import { api } from '../api/client.ts';
import { liveInterval, liveRequest } from '../api/live.ts';
import { withPrompts } from '../session/prompts.ts';

const isFinal = ({ outcome }: WebhookDelivery): boolean => outcome !== 'queued' && outcome !== 'sending';

/** One delivery. It is read repeatedly until it is final. */
export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['delivery', id],
    queryFn: (context) => withPrompts(() => api.webhookDeliveries.get(id, liveRequest(context))),
    refetchInterval: (query) =>
      query.state.data !== undefined && isFinal(query.state.data) ? false : liveInterval(query),
  });
