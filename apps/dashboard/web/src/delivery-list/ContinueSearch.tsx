import type { WebhookDelivery } from '@chairside/client';
import { PAGE_SIZE } from './requests.ts';

/**
 * Explains that a page has few rows because the api stopped after examining many deliveries, although there may be more
 * matches.
 */
export const ContinueSearch = ({
  page,
}: {
  page: { data: readonly WebhookDelivery[]; nextCursor?: string | undefined } | undefined;
}) =>
  page?.nextCursor !== undefined && page.data.length < PAGE_SIZE ? (
    <p role="status">
      The period has many deliveries, and not all were searched. “Next page” continues the search.
    </p>
  ) : null;
