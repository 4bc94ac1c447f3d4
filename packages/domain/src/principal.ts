import { z } from 'zod';
import type { TokenAccess } from './program-token.ts';

/** All scopes of API keys. */
export const scopes = [
  'appointments:read',
  'appointments:write',
  'clinics:read',
  'invoices:read',
  'patients:read',
  'patients:write',
  'payments:read',
  'treatments:read',
] as const;
export const scopeSchema = z.enum(scopes);
export type Scope = z.infer<typeof scopeSchema>;

/**
 * An `administrator` may call every route for operators. `staff` may read and change records, read events, and manage
 * their own sessions and password.
 */
export const roles = ['administrator', 'staff'] as const;
export const roleSchema = z.enum(roles);
export type Role = z.infer<typeof roleSchema>;

/** The API key, the operator or the program token behind a request. Each belongs to one organization. */
export type Principal =
  | {
      kind: 'apiKey';
      id: string;
      organizationId: string;
      scopes: readonly Scope[];
      /** The clinics that the key is for; undefined if it is for all clinics. */
      clinicIds: readonly string[] | undefined;
      /** When the secret of the request ends; undefined if it has no end. */
      endTime: Date | undefined;
      /** The rate limit of this key, in requests per minute. */
      rateLimit: number;
    }
  | {
      kind: 'operator';
      id: string;
      organizationId: string;
      role: Role;
      sessionId: string;
      /** When the operator last entered the password in this session. */
      confirmedTime: Date;
      /** When the operator last entered the password in this session to change the factors. */
      factorsConfirmedTime?: Date;
      /** Whether somebody else chose the password. If so, the operator can only change it or sign out. */
      passwordChangeRequired: boolean;
      /** Whether the organization requires a factor, and the operator has none. Then the operator can only add one or sign out. */
      factorRequired: boolean;
    }
  | {
      kind: 'programToken';
      id: string;
      organizationId: string;
      access: TokenAccess;
      /** The clinics that the token is for; undefined if it is for all clinics. */
      clinicIds: readonly string[] | undefined;
      /** Whether the token was not used from the network of the request before. */
      isFromNewNetwork: boolean;
    };

/** Whether the caller is for some clinics only. */
export const isOfClinics = (principal: Principal): boolean =>
  principal.kind !== 'operator' && principal.clinicIds !== undefined;

/** How long an entered password counts as a confirmation, in milliseconds. */
export const CONFIRMATION_LIFE_MS = 10 * 60 * 1000;
/** The rate limit of an access token, in requests per minute. */
export const ACCESS_TOKEN_RATE_LIMIT = 3000;
/**
 * Maximum number of e-mail addresses that an organization may set for new or existing operators in an hour. Attempts
 * with an address that is taken count too.
 */
export const MAX_OPERATORS_CREATED_PER_HOUR = 20;

/** The default rate limit of a key, in requests per minute. */
export const DEFAULT_RATE_LIMIT = 600;

/** API key secrets start with this, so that secret scanners find them. */
export const API_KEY_PREFIX = 'chairside_key_';
/** Access tokens of operators start with this, so that secret scanners find them. */
export const ACCESS_TOKEN_PREFIX = 'chairside_token_';
/** The maximum age of a session, even if it is in use. */
export const SESSION_LIFE_MS = 12 * 60 * 60 * 1000;
/** How long a session may be unused before it ends. */
export const SESSION_IDLE_LIFE_MS = 60 * 60 * 1000;
/** The shortest password of an operator, in characters. */
export const MIN_PASSWORD_LENGTH = 12;
