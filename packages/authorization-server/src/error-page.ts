import type { Configuration } from 'oidc-provider';

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

/**
 * Shows an authorization error that is not returned to the app. The page has no script and no style, so it complies
 * with the dashboard's strict content security policy.
 */
export const renderError: NonNullable<Configuration['renderError']> = (
  ctx,
  { error, error_description: description },
) => {
  // An error page must have an error status.
  if (ctx.status < 400) ctx.status = 400;
  ctx.type = 'html';
  ctx.body = [
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>The app cannot be connected</title>',
    '<meta name="viewport" content="width=device-width"></head><body><main>',
    '<h1>The app cannot be connected</h1>',
    `<p>The request of the app was refused: ${escaped(description ?? error)} (<code>${escaped(error)}</code>).</p>`,
    error === 'temporarily_unavailable'
      ? '<p>Try again in a minute.</p>'
      : '<p>Start again in the app. If that does not help, remove the connection there and add it anew.</p>',
    '</main></body></html>',
  ].join('\n');
};
