import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { SERVICE_FLAGS } from '@chairside/processes';
import type { Addresses } from './addresses.ts';
import { connectorSettings } from './connector.ts';
import type { Ports } from './ports.ts';

/** The apps that the demo runs, in the order of their start, with their folders below `apps`. */
export const APPS = {
  api: 'api',
  'webhook-dispatcher': 'webhook-dispatcher',
  dashboard: 'dashboard/server',
  mcp: 'mcp',
} as const;
export type App = keyof typeof APPS;

/** The arguments of Node.js that run an app after the build. @param folder below `apps` */
export const builtApp = (folder: string): string[] => [
  ...SERVICE_FLAGS,
  fileURLToPath(new URL(`../../${folder}/dist/main.js`, import.meta.url)),
];

type Place = {
  ports: Ports;
  addresses: Addresses;
  mongodbUrl: string;
  redisUrl: string;
  encryptionKeys: string;
  oauthKeys: string;
};

/** An app that is to be started: the address under which it becomes ready, and its settings. */
export type AppPlan = { url: string; settings: Readonly<Record<string, string>> };

/** Plans the apps of a start. Creates a new secret for each pair of apps that share one. */
export const planApps = (place: Place): Readonly<Record<App, AppPlan>> => {
  const { ports, addresses, mongodbUrl, redisUrl } = place;
  const { api, dispatcher, dashboard, mcp } = addresses;
  const shared = {
    MONGODB_URL: mongodbUrl,
    REDIS_URL: redisUrl,
    ENCRYPTION_KEYS: place.encryptionKeys,
    // The demo's receiver listens on loopback, which is blocked for webhooks by default.
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
  };
  const PROXY_SECRET = randomBytes(32).toString('base64url');
  const { connector, authorizationServer } = connectorSettings({ ...place, dashboard, mcp });
  return {
    api: {
      url: api,
      settings: {
        ...shared,
        PORT: String(ports.api),
        METRICS_PORT: String(ports.metrics),
        PROXY_SECRET,
        DASHBOARD_URL: dashboard,
      },
    },
    'webhook-dispatcher': {
      url: dispatcher,
      settings: {
        ...shared,
        HEALTH_PORT: String(ports.dispatcher),
        MAIL_URL: addresses.smtp,
        MAIL_FROM: 'chairside@example.com',
        DASHBOARD_URL: dashboard,
        // Short pauses, so that a demo shows at once how failures end: a subscription is disabled after some two seconds, not
        // after three minutes.
        FAILING_PAUSE_MS: process.env.FAILING_PAUSE_MS || '100',
        FAILING_PAUSE_MAX_MS: process.env.FAILING_PAUSE_MAX_MS || '100',
      },
    },
    dashboard: {
      url: dashboard,
      settings: {
        ...authorizationServer,
        PORT: String(ports.dashboard),
        METRICS_PORT: String(ports.dashboardMetrics),
        PUBLIC_URL: dashboard,
        API_URL: api,
        PROXY_SECRET,
      },
    },
    mcp: { url: mcp, settings: connector },
  };
};
