import { randomBytes } from 'node:crypto';

/** Addresses of the demo, and the keys of its authorization server. */
type Place = {
  dashboard: string;
  /** The address of the connector as people enter it. */
  mcp: string;
  ports: { mcp: number; mcpMetrics: number; introspection: number };
  mongodbUrl: string;
  redisUrl: string;
  oauthKeys: string;
};

type Settings = Readonly<Record<string, string>>;

/**
 * The settings of the connector for assistants, and the settings with which the dashboard is its authorization server.
 * Each start creates a new secret, which both sides get.
 */
export const connectorSettings = ({
  dashboard,
  mcp,
  ports,
  mongodbUrl,
  redisUrl,
  oauthKeys,
}: Place): { connector: Settings; authorizationServer: Settings } => {
  const INTROSPECTION_SECRET = randomBytes(32).toString('base64url');
  const introspection = String(ports.introspection);
  return {
    authorizationServer: {
      MCP_URL: mcp,
      MONGODB_URL: mongodbUrl,
      OAUTH_KEYS: oauthKeys,
      INTROSPECTION_PORT: introspection,
      INTROSPECTION_SECRET,
      // The redirect address of Cursor has its own scheme. It is neither https nor a loopback address.
      OAUTH_REDIRECT_SCHEMES: 'cursor',
    },
    connector: {
      PORT: String(ports.mcp),
      METRICS_PORT: String(ports.mcpMetrics),
      MCP_URL: mcp,
      AUTHORIZATION_SERVER_URL: dashboard,
      INTROSPECTION_URL: `http://127.0.0.1:${introspection}/introspect`,
      INTROSPECTION_SECRET,
      MONGODB_URL: mongodbUrl,
      REDIS_URL: redisUrl,
    },
  };
};

/** Lines that explain how to connect common clients. */
export const connectorDirections = (mcp: string): string[] => [
  '  Connect an assistant to the read-only connector, and sign in as the administrator (docs/connector.md):',
  '',
  `  Claude Code      claude mcp add --transport http chairside ${mcp}`,
  `  VS Code          code --add-mcp '${JSON.stringify({ name: 'chairside', type: 'http', url: mcp })}'`,
  `  Cursor           ~/.cursor/mcp.json: ${JSON.stringify({ mcpServers: { chairside: { url: mcp } } })}`,
  `  Inspector        npx @modelcontextprotocol/inspector@2.12.0 --cli ${mcp} --transport http --method tools/list`,
  '  Claude, ChatGPT  call from the internet, so they need an https address in front of the connector',
];
