import { z } from 'zod';
import { ownId, timeOf } from './fields.ts';
import type { ResourceLimit } from './resource-limit.ts';
import { text } from './text.ts';

/** What an operator is asked besides the password. A recovery code stands in for either of the others. */
export const factorKinds = ['passkey', 'code', 'recoveryCode'] as const;
export type FactorKind = (typeof factorKinds)[number];
/** The kinds that an operator adds. */
export const addedFactorKinds = ['passkey', 'code'] as const;
export type AddedFactorKind = (typeof addedFactorKinds)[number];

/** Whom an organization requires to have a factor. */
export const factorRequirements = ['off', 'administrators', 'everybody'] as const;
export type FactorRequirement = (typeof factorRequirements)[number];

/** How long a challenge can be answered, in milliseconds. */
export const CHALLENGE_LIFE_MS = 5 * 60_000;
/** The number of wrong answers that end a challenge. */
export const MAX_WRONG_ANSWERS = 5;
/** How many codes of an operator may be wrong within `CODES_PAUSE_MS`. */
export const MAX_WRONG_CODES = 10;
/** How long codes are paused after `MAX_WRONG_CODES`, in milliseconds. */
export const CODES_PAUSE_MS = 3_600_000;
/** The number of recovery codes that are made together. */
export const RECOVERY_CODES = 10;
export const MAX_PASSKEYS = 10;
const MAX_PASSKEY_NAME = 100;

export const factorLimits: readonly ResourceLimit[] = [
  {
    id: 'passkeys',
    part: 'Signing in',
    resource: 'Passkeys of an operator',
    value: MAX_PASSKEYS,
    unit: 'for each operator',
    beyond: 'a further one is refused with 400',
  },
  {
    id: 'wrong_answers',
    part: 'Signing in',
    resource: 'Wrong answers to a challenge',
    value: MAX_WRONG_ANSWERS,
    unit: 'for each challenge',
    beyond: 'the challenge ends; sign in again',
  },
  {
    id: 'wrong_codes',
    part: 'Signing in',
    resource: 'Wrong codes of an operator',
    value: MAX_WRONG_CODES,
    unit: 'in an hour',
    beyond: '429 TooManyRequests for codes, for an hour; passkeys and recovery codes work',
    metric: 'chairside_api_refusals_total',
  },
];

const base64url = (max: number) =>
  text(max).regex(/^[\w-]+$/, 'must be base64url without padding (RFC 4648, 5)');

const challenge = text(100)
  .min(1, 'must not be empty')
  .meta({ description: 'The `challenge` of the response before.', examples: ['0'.repeat(43)] });
const code = text(20)
  .min(1, 'must not be empty')
  .meta({ description: 'The six digits that the app shows. Blanks do not count.', examples: ['123456'] });
const recoveryCode = text(100)
  .min(1, 'must not be empty')
  .meta({
    description: 'One of the recovery codes. Case, blanks and dashes do not count.',
    examples: ['abcd-efgh-ijkl-mnop'],
  });
/** At most 1,023 bytes (WebAuthn Level 3, 5.1.3). */
const credentialId = base64url(1364).meta({ description: 'The id of the passkey.', examples: ['AQID'] });

/**
 * The answer of a passkey: `PublicKeyCredential.toJSON()` after `navigator.credentials.get` (WebAuthn Level 3, 5.1.8). Browsers
 * may add members, so others are ignored.
 */
const assertionSchema = z
  .object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal('public-key'),
    response: z
      .object({
        clientDataJSON: base64url(8000).meta({
          description: 'What the browser has signed.',
          examples: ['AQID'],
        }),
        authenticatorData: base64url(8000).meta({ description: 'Of the authenticator.', examples: ['AQID'] }),
        signature: base64url(8000).meta({ description: 'Of the authenticator.', examples: ['AQID'] }),
        userHandle: base64url(200)
          .nullish()
          .meta({ description: 'Names the operator.', examples: ['AQID'] }),
      })
      .describe('The answer of the authenticator.'),
  })
  .meta({
    id: 'PasskeyAssertion',
    description:
      'The answer of a passkey: `PublicKeyCredential.toJSON()` after `navigator.credentials.get` with the challenge.',
  });
export type PasskeyAssertion = z.infer<typeof assertionSchema>;

/** A new passkey: `PublicKeyCredential.toJSON()` after `navigator.credentials.create` (WebAuthn Level 3, 5.1.8). */
const passkeyRegistrationSchema = z
  .object({
    id: credentialId,
    rawId: credentialId,
    type: z.literal('public-key'),
    response: z
      .object({
        clientDataJSON: base64url(8000).meta({
          description: 'What the browser has signed.',
          examples: ['AQID'],
        }),
        attestationObject: base64url(4000).meta({ description: 'The new key.', examples: ['AQID'] }),
        transports: z.array(text(50)).max(10).optional().describe('How the authenticator can be reached.'),
      })
      .describe('The answer of the authenticator.'),
  })
  .meta({
    id: 'PasskeyRegistration',
    description: '`PublicKeyCredential.toJSON()` after `navigator.credentials.create` with the `options`.',
  });
export type PasskeyRegistration = z.infer<typeof passkeyRegistrationSchema>;

const ANSWERS = ['code', 'recoveryCode', 'assertion'] as const;
const answers = {
  code: code.optional(),
  recoveryCode: recoveryCode.optional(),
  assertion: assertionSchema.optional(),
};

/** What answers a challenge. Exactly one of the three is there. */
export type FactorAnswer = {
  challenge: string;
  code?: string | undefined;
  recoveryCode?: string | undefined;
  assertion?: PasskeyAssertion | undefined;
};
type Given = { challenge?: string | undefined } & Omit<FactorAnswer, 'challenge'>;

const ONE_ANSWER = { error: `must have exactly one of ${ANSWERS.join(', ')}`, path: [] };
const answersIn = (given: Given): number => ANSWERS.filter((name) => given[name] !== undefined).length;

/** The body of POST /api/sessions/challenge. */
export const challengeAnswerSchema = z
  .strictObject({ challenge, ...answers })
  .refine((given) => answersIn(given) === 1, ONE_ANSWER)
  .meta({ id: 'ChallengeAnswer' });

/**
 * The schema of a body with a password, and with the factor of an operator who has one.
 *
 * @param id its name in the OpenAPI document
 */
export const withFactor = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z
    .strictObject({ ...shape, challenge: challenge.optional(), ...answers })
    .refine((given) => answersIn(given as Given) === ((given as Given).challenge === undefined ? 0 : 1), {
      error: `must have a challenge and exactly one of ${ANSWERS.join(', ')}, or none of them`,
      path: [],
    })
    .meta({ id });

/** The answer in a body that `withFactor` has read. */
export const answerIn = ({
  challenge: given,
  code,
  recoveryCode,
  assertion,
}: Given): FactorAnswer | undefined =>
  given === undefined ? undefined : { challenge: given, code, recoveryCode, assertion };

const passkeyName = text(MAX_PASSKEY_NAME)
  .min(1, 'must not be empty')
  .meta({ description: 'Name of the passkey.', examples: ['Phone'] });
export const passkeySchema = z
  .object({
    _id: ownId('01JB00000000000000PASSKEY0'),
    name: passkeyName,
    createdTime: timeOf('When the passkey was added.'),
    lastUsedTime: timeOf('When it was last used.').optional(),
  })
  .meta({ id: 'Passkey', description: 'A passkey of an operator.' });
export type Passkey = z.infer<typeof passkeySchema>;

const reasons = ['no_dashboard', 'ip_address', 'insecure'] as const;
/** Why passkeys cannot be used: they belong to the name of a dashboard that browsers trust. */
export type PasskeysOff = (typeof reasons)[number];

/** The factors of the operator of the session. */
export const factorsSchema = z
  .object({
    passkeys: z.array(passkeySchema).describe('The oldest first.'),
    codes: z
      .object({ createdTime: timeOf('When the app was added.') })
      .optional()
      .describe('One-time codes of an app. Absent without one.'),
    recoveryCodes: z.object({
      left: z.int().meta({ description: 'How many recovery codes are left.', examples: [RECOVERY_CODES] }),
    }),
    required: z.boolean().meta({
      description: 'Whether the organization requires a factor of this operator.',
      examples: [false],
    }),
    passkeysOff: z
      .enum(reasons)
      .optional()
      .describe(
        'Why no passkey can be added or used: the service has no dashboard (`no_dashboard`), or its address is an IP address (`ip_address`) or neither HTTPS nor `localhost` (`insecure`).',
      ),
  })
  .meta({ id: 'Factors', description: 'What an operator is asked besides the password.' });
export type Factors = z.infer<typeof factorsSchema>;

/** The body of a request without fields. */
export const noFieldsSchema = z.strictObject({}).meta({ id: 'NoFields', description: 'An empty object.' });
/** The response of POST …/factors/codes. */
export const newCodeSchema = z
  .object({
    secret: z
      .string()
      .meta({ description: 'The secret, in base32, to type into the app.', examples: ['A'.repeat(32)] }),
    uri: z.string().meta({
      description: 'The same for a QR code.',
      examples: [`otpauth://totp/Chairside:operator%40example.com?issuer=Chairside&secret=${'A'.repeat(32)}`],
    }),
  })
  .meta({ id: 'NewCode', description: 'The secret of an app that is being added.' });
/** The body of POST …/factors/codes/complete. */
export const codeCompletionSchema = z.strictObject({ code }).meta({ id: 'CodeCompletion' });

/** Recovery codes that were just made. */
export const recoveryCodesSchema = z
  .object({
    recoveryCodes: z
      .array(z.string())
      .optional()
      .meta({
        description:
          'The recovery codes that were made with the first factor. Each works once. No other response contains them.',
        examples: [['abcd-efgh-ijkl-mnop']],
      }),
  })
  .meta({ id: 'RecoveryCodes', description: 'Recovery codes, if they were just made.' });

/** Options for `navigator.credentials`, in the JSON form of WebAuthn Level 3, 5.1.9 and 5.1.10. */
const options = z
  .looseObject({})
  .describe('For `navigator.credentials`: the argument of `PublicKeyCredential.parse…OptionsFromJSON`.');
/** The response of POST …/factors/passkeys. */
export const passkeyOptionsSchema = z
  .object({ options })
  .meta({ id: 'PasskeyOptions', description: 'What a browser needs to create a passkey.' });
/** The body of POST …/factors/passkeys/complete. */
export const passkeyCompletionSchema = z
  .strictObject({ name: passkeyName, credential: passkeyRegistrationSchema })
  .meta({ id: 'PasskeyCompletion' });
/** The response of POST …/factors/passkeys/complete. */
export const addedPasskeySchema = passkeySchema
  .extend(recoveryCodesSchema.shape)
  .meta({ id: 'AddedPasskey', description: 'A passkey, with recovery codes if it is the first factor.' });
/** The body of PUT …/factors/passkeys/{passkeyId}. */
export const passkeyUpdateSchema = z.strictObject({ name: passkeyName }).meta({ id: 'PasskeyUpdate' });

/** The response of POST /api/sessions/passkey. */
export const passkeyChallengeSchema = z
  .object({ challenge, options })
  .meta({ id: 'PasskeyChallenge', description: 'What a browser needs to sign in with a passkey alone.' });

const requiredFactors = z
  .enum(factorRequirements, { error: `must be one of ${factorRequirements.join(', ')}` })
  .meta({
    description:
      'Who must have a factor besides the password: nobody (`off`), `administrators` or `everybody`. Sessions of operators who lack it can only add one and sign out.',
    examples: ['administrators'],
  });
/** The organization of the caller. */
export const organizationSchema = z
  .object({
    name: z.string().meta({ description: 'Its name.', examples: ['Practice East'] }),
    requiredFactors,
  })
  .meta({ id: 'Organization', description: 'The organization of the caller.' });
export type Organization = z.infer<typeof organizationSchema>;
/** The body of PUT /api/organization. */
export const organizationUpdateSchema = z
  .strictObject({
    name: z.unknown().optional().describe('Set by the operator of the service. It is ignored.'),
    requiredFactors,
  })
  .meta({ id: 'OrganizationUpdate' });
