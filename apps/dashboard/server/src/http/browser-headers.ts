import { securityHeaders } from '@chairside/http-server';
import type { FastifyInstance } from 'fastify';

/**
 * Sets the headers for browsers on every response. A page loads nothing from other origins, runs no inline code, cannot
 * be framed, and cannot turn text into markup (Trusted Types without any policy). Responses are not cached unless a
 * route says so.
 */
export const browserHeaders = (app: FastifyInstance): void =>
  securityHeaders(app, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        fontSrc: ["'self'"],
        connectSrc: ["'self'"],
        manifestSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        requireTrustedTypesFor: ["'script'"],
        trustedTypes: ["'none'"],
      },
    },
    referrerPolicy: { policy: 'no-referrer' },
    frameguard: { action: 'deny' },
    crossOriginOpenerPolicy: { policy: 'same-origin' },
    crossOriginResourcePolicy: { policy: 'same-origin' },
  });
