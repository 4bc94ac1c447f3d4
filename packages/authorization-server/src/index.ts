export { type AuthorizationServer, openAuthorizationServer } from './authorization-server.ts';
export { closeIntrospection, createIntrospectionServer } from './introspection.ts';
export { type AuthorizationMetrics, grantEnds, introspectionResults } from './metrics.ts';
export { type OAuthRouteOptions, oauthRoutes } from './routes.ts';
export { type OAuthConfig, oauthConfigOf, oauthSettings, requireWithConnector } from './settings.ts';
