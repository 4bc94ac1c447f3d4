// Made from docs/openapi.json by packages/publishing. Do not edit it; run `pnpm --filter @chairside/publishing client-types`.
export interface components {
    schemas: {
        /** @description A passkey, with recovery codes if it is the first factor. */
        AddedPasskey: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PASSKEY0
             */
            _id: string;
            /**
             * @description Name of the passkey.
             * @example Phone
             */
            name: string;
            /**
             * Format: date-time
             * @description When the passkey was added.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When it was last used.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /**
             * @description The recovery codes that were made with the first factor. Each works once. No other response contains them.
             * @example [
             *       "abcd-efgh-ijkl-mnop"
             *     ]
             */
            recoveryCodes?: string[];
        };
        /** @description An API key, without its secret. */
        ApiKey: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000AP1KEY00
             */
            _id: string;
            /**
             * @description The purpose of the key, in your own words.
             * @example Recall letters
             */
            name: string;
            /**
             * @description The scopes of the key.
             * @example [
             *       "patients:read",
             *       "appointments:read"
             *     ]
             */
            scopes: ("appointments:read" | "appointments:write" | "clinics:read" | "invoices:read" | "patients:read" | "patients:write" | "payments:read" | "treatments:read")[];
            /**
             * @description The clinics that the key is for. What belongs to other clinics does not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: int32
             * @description Rate limit: requests per minute.
             * @example 600
             */
            rateLimit: number;
            /**
             * Format: date-time
             * @description When the key was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the key was last edited.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
            /**
             * Format: date-time
             * @description When the secret was last used, to the minute.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /**
             * Format: date-time
             * @description When the key last got a new secret. Absent if it was never rotated.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastRotationTime?: string;
            /** @description The secret before the last rotation, as long as it works beside the new one. */
            formerSecret?: {
                /**
                 * Format: date-time
                 * @description When the former secret stops working.
                 * @example 2030-05-01T09:30:00.000Z
                 */
                expiryTime: string;
                /**
                 * Format: date-time
                 * @description When the former secret was last used, to the minute.
                 * @example 2030-01-31T09:30:00.000Z
                 */
                lastUsedTime?: string;
            };
            /**
             * Format: date-time
             * @description When the key ends: from then on it gets a 401. Absent if it has no end.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime?: string;
        };
        ApiKeyCreate: {
            /**
             * @description The purpose of the key, in your own words.
             * @example Recall letters
             */
            name: string;
            /**
             * @description The scopes of the new key, which can be read scopes only. Add write scopes later with PUT. Default: `["appointments:read","clinics:read","invoices:read","patients:read","payments:read","treatments:read"]`.
             * @example [
             *       "patients:read",
             *       "appointments:read"
             *     ]
             */
            scopes?: ("appointments:read" | "clinics:read" | "invoices:read" | "patients:read" | "payments:read" | "treatments:read")[];
            /**
             * Format: int32
             * @description Rate limit: requests per minute. Default: `600`.
             * @example 600
             */
            rateLimit?: number;
            /**
             * @description The clinics that the key is for. What belongs to other clinics does not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: date-time
             * @description When the key ends: from then on it gets a 401. Absent if it has no end.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime?: string;
        };
        ApiKeyReveal: {
            /**
             * @description Your own password.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description The `challenge` of the response before.
             * @example 0000000000000000000000000000000000000000000
             */
            challenge?: string;
            /**
             * @description The six digits that the app shows. Blanks do not count.
             * @example 123456
             */
            code?: string;
            /**
             * @description One of the recovery codes. Case, blanks and dashes do not count.
             * @example abcd-efgh-ijkl-mnop
             */
            recoveryCode?: string;
            assertion?: components["schemas"]["PasskeyAssertion"];
        };
        ApiKeyRotation: {
            /**
             * Format: int32
             * @description For how many hours the secret until now goes on working beside the new one. 0: it ends within a second.
             * @example 24
             */
            overlapHours: number;
        };
        ApiKeyUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * @description The purpose of the key, in your own words.
             * @example Recall letters
             */
            name?: string;
            /**
             * @description The scopes of the key.
             * @example [
             *       "patients:read",
             *       "appointments:read"
             *     ]
             */
            scopes?: ("appointments:read" | "appointments:write" | "clinics:read" | "invoices:read" | "patients:read" | "patients:write" | "payments:read" | "treatments:read")[];
            /**
             * Format: int32
             * @description Rate limit: requests per minute.
             * @example 600
             */
            rateLimit?: number;
            /**
             * @description The clinics that the key is for. `null` makes it a key for all clinics.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[] | null;
            /**
             * Format: date-time
             * @description When the key ends. `null` removes the end.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime?: string | null;
            /** @description Set by the server. It may be sent back and is ignored. */
            createdTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastEditTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastUsedTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastRotationTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            formerSecret?: unknown;
        };
        /** @description An API key with its secret. */
        ApiKeyWithSecret: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000AP1KEY00
             */
            _id: string;
            /**
             * @description The purpose of the key, in your own words.
             * @example Recall letters
             */
            name: string;
            /**
             * @description The scopes of the key.
             * @example [
             *       "patients:read",
             *       "appointments:read"
             *     ]
             */
            scopes: ("appointments:read" | "appointments:write" | "clinics:read" | "invoices:read" | "patients:read" | "patients:write" | "payments:read" | "treatments:read")[];
            /**
             * @description The clinics that the key is for. What belongs to other clinics does not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: int32
             * @description Rate limit: requests per minute.
             * @example 600
             */
            rateLimit: number;
            /**
             * Format: date-time
             * @description When the key was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the key was last edited.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
            /**
             * Format: date-time
             * @description When the secret was last used, to the minute.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /**
             * Format: date-time
             * @description When the key last got a new secret. Absent if it was never rotated.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastRotationTime?: string;
            /** @description The secret before the last rotation, as long as it works beside the new one. */
            formerSecret?: {
                /**
                 * Format: date-time
                 * @description When the former secret stops working.
                 * @example 2030-05-01T09:30:00.000Z
                 */
                expiryTime: string;
                /**
                 * Format: date-time
                 * @description When the former secret was last used, to the minute.
                 * @example 2030-01-31T09:30:00.000Z
                 */
                lastUsedTime?: string;
            };
            /**
             * Format: date-time
             * @description When the key ends: from then on it gets a 401. Absent if it has no end.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime?: string;
            /**
             * @description The secret. Programs send it in `Authorization: Basic`, encoded in Base64, without a user name and without a colon.
             * @example chairside_key_0000000000000000000000000000000000000000000
             */
            secret: string;
        };
        /** @description An appointment at a clinic. */
        Appointment: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000APP01NT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string;
            /**
             * @description The `_id` of the provider.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string;
            /**
             * Format: date-time
             * @description Start of the appointment.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime?: string;
            /**
             * Format: date-time
             * @description End of the appointment: after `startTime`, by at most 31 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime?: string;
            /**
             * @description Status of the appointment. PUT can change any status to any other.
             * @example SCHEDULED
             * @enum {string}
             */
            status: "REQUESTED" | "SCHEDULED" | "PATIENT_ARRIVED" | "NO_SHOW" | "CANCELED";
            /** @description Planned procedures; empty when there are none. */
            procedures: {
                /**
                 * @description Identifier of the entry. If you send none, the server creates one.
                 * @example 01JB0000000000000000ENTRY0
                 */
                _id: string;
                /**
                 * @description The `_id` of the procedure in the price list of the practice.
                 * @example 01JB00000000000000PR0CED00
                 */
                procedureId: string;
                /**
                 * @description Name of the procedure.
                 * @example Check-up
                 */
                name?: string;
                /**
                 * @description Decimal amount. It is returned with the JSON type it was stored with.
                 * @example 80.00
                 */
                price?: number | string;
            }[];
            /** @description Reminders; empty when there are none. */
            reminders: {
                [key: string]: unknown;
            }[];
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
        };
        AppointmentCreate: {
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string | null;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string | null;
            /**
             * @description The `externalId` of the patient, instead of `patientId`.
             * @example pms:4711
             */
            patientExternalId?: string | null;
            /**
             * @description The `_id` of the provider.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string | null;
            /**
             * Format: date-time
             * @description Start of the appointment.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime?: string | null;
            /**
             * Format: date-time
             * @description End of the appointment: after `startTime`, by at most 31 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime?: string | null;
            /**
             * @description Status of the appointment. PUT can change any status to any other.
             * @example SCHEDULED
             * @enum {string}
             */
            status?: "REQUESTED" | "SCHEDULED" | "PATIENT_ARRIVED" | "NO_SHOW" | "CANCELED";
            /** @description All planned procedures. The list replaces the stored one. */
            procedures?: {
                /**
                 * @description Identifier of the entry. If you send none, the server creates one.
                 * @example 01JB0000000000000000ENTRY0
                 */
                _id?: string;
                /**
                 * @description The `_id` of the procedure in the price list of the practice.
                 * @example 01JB00000000000000PR0CED00
                 */
                procedureId: string;
                /**
                 * @description Name of the procedure.
                 * @example Check-up
                 */
                name?: string | null;
                /**
                 * @description Decimal amount. It is returned with the JSON type it was stored with.
                 * @example 80.00
                 */
                price?: number | string | null;
            }[] | null;
            /** @description All reminders, each at most 4096 bytes of JSON with at most 200 members and elements. The list replaces the stored one. */
            reminders?: {
                [key: string]: unknown;
            }[] | null;
        };
        /** @description An event of the log whose `data` is the appointment as GET returned it at the time of the event; for a deletion, the deleted appointment. */
        AppointmentEvent: {
            /**
             * @description The event's id. It is the same in redeliveries; use it to detect duplicates.
             * @example 01JB000000000000000EVENT10
             */
            id: string;
            /**
             * @description Name of the event.
             * @example appointment.created
             * @enum {string}
             */
            event: "appointment.created" | "appointment.updated" | "appointment.deleted";
            /**
             * Format: int64
             * @description Time of the event, in Unix seconds.
             * @example 1896082200
             */
            timestamp: number;
            data: components["schemas"]["Appointment"];
            origin: components["schemas"]["EventOrigin"];
            /**
             * @description The names of the fields that differ from the version before, without `lastEditTime`. Empty if none does. Only an event `appointment.updated` has it.
             * @example [
             *       "phone"
             *     ]
             */
            changed?: string[];
            /** @description The `_id`s of the clinics whose subscriptions receive the event. */
            clinicIds: string[];
            /**
             * Format: date-time
             * @description When the event entered the log. `since` refers to this time.
             * @example 2030-01-31T09:30:00.250Z
             */
            loggedTime: string;
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        AppointmentSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000APP01NT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string;
            /**
             * @description The `_id` of the provider.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string;
            /**
             * Format: date-time
             * @description Start of the appointment.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime?: string;
            /**
             * Format: date-time
             * @description End of the appointment: after `startTime`, by at most 31 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime?: string;
            /**
             * @description Status of the appointment. PUT can change any status to any other.
             * @example SCHEDULED
             * @enum {string}
             */
            status?: "REQUESTED" | "SCHEDULED" | "PATIENT_ARRIVED" | "NO_SHOW" | "CANCELED";
            /** @description Planned procedures; empty when there are none. */
            procedures?: {
                /**
                 * @description Identifier of the entry. If you send none, the server creates one.
                 * @example 01JB0000000000000000ENTRY0
                 */
                _id: string;
                /**
                 * @description The `_id` of the procedure in the price list of the practice.
                 * @example 01JB00000000000000PR0CED00
                 */
                procedureId: string;
                /**
                 * @description Name of the procedure.
                 * @example Check-up
                 */
                name?: string;
                /**
                 * @description Decimal amount. It is returned with the JSON type it was stored with.
                 * @example 80.00
                 */
                price?: number | string;
            }[];
            /** @description Reminders; empty when there are none. */
            reminders?: {
                [key: string]: unknown;
            }[];
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            createdTime?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime?: string;
        };
        AppointmentUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * Format: date-time
             * @description Set by the server. It may be sent back and is ignored.
             */
            createdTime?: string;
            /**
             * Format: date-time
             * @description Set by the server. It may be sent back and is ignored.
             */
            lastEditTime?: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string | null;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string | null;
            /**
             * @description The `externalId` of the patient, instead of `patientId`.
             * @example pms:4711
             */
            patientExternalId?: string | null;
            /**
             * @description The `_id` of the provider.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string | null;
            /**
             * Format: date-time
             * @description Start of the appointment.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime?: string | null;
            /**
             * Format: date-time
             * @description End of the appointment: after `startTime`, by at most 31 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime?: string | null;
            /**
             * @description Status of the appointment. PUT can change any status to any other.
             * @example SCHEDULED
             * @enum {string}
             */
            status?: "REQUESTED" | "SCHEDULED" | "PATIENT_ARRIVED" | "NO_SHOW" | "CANCELED";
            /** @description All planned procedures. The list replaces the stored one. */
            procedures?: {
                /**
                 * @description Identifier of the entry. If you send none, the server creates one.
                 * @example 01JB0000000000000000ENTRY0
                 */
                _id?: string;
                /**
                 * @description The `_id` of the procedure in the price list of the practice.
                 * @example 01JB00000000000000PR0CED00
                 */
                procedureId: string;
                /**
                 * @description Name of the procedure.
                 * @example Check-up
                 */
                name?: string | null;
                /**
                 * @description Decimal amount. It is returned with the JSON type it was stored with.
                 * @example 80.00
                 */
                price?: number | string | null;
            }[] | null;
            /** @description All reminders, each at most 4096 bytes of JSON with at most 200 members and elements. The list replaces the stored one. */
            reminders?: {
                [key: string]: unknown;
            }[] | null;
        };
        /** @description An access to records, or a security action. */
        AuditEntry: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB000000000000000AVD1T00
             */
            _id: string;
            /**
             * Format: date-time
             * @description Time of the action. Reads of the audit log by one session with one filter share an entry for ten minutes; it has the time at which these began.
             * @example 2030-01-31T09:30:00.000Z
             */
            time: string;
            /**
             * @description The action.
             * @example read
             * @enum {string}
             */
            action: "read" | "listed" | "events_read" | "created" | "updated" | "deleted" | "paid" | "voided" | "refunded" | "imported" | "exported" | "erased" | "signed_in" | "signed_out" | "confirmed" | "password_changed" | "invited" | "invitation_completed" | "reset_requested" | "password_reset" | "factor_added" | "factor_removed" | "token_created" | "token_used" | "token_ended" | "sessions_ended" | "revealed" | "rotated" | "granted" | "denied" | "downloaded" | "tested" | "redelivered" | "redelivery_stopped" | "suspended" | "resumed" | "released" | "discarded";
            /** @description The principal behind the action. */
            principal: {
                /**
                 * @description `app`: a connected app, or someone with a code or token of it. `system`: the command line chairside-admin, or the service itself. `unknown`: the caller was not signed in.
                 * @example apiKey
                 * @enum {string}
                 */
                kind: "apiKey" | "operator" | "programToken" | "app" | "system" | "unknown";
                /**
                 * @description The `_id` of the API key, operator or program token, or the client id of the app.
                 * @example 01JB00000000000000AP1KEY00
                 */
                id: string;
            };
            /**
             * @description The kind of record that the entry is about. An entry can also be about operators, sessions, keys, subscriptions, connected apps or settings of the schedule.
             * @example patient
             * @enum {string}
             */
            kind: "patient" | "appointment" | "clinic" | "invoice" | "payment" | "treatment" | "organization" | "operator" | "session" | "apiKey" | "webhookSubscription" | "webhookDelivery" | "connection" | "auditEntry" | "provider" | "procedure" | "calendarBlock" | "openingHours";
            /**
             * @description The `_id`s of the records, operators, sessions, program tokens, keys, subscriptions or connections.
             * @example [
             *       "01JB0000000000000000PAT1E0"
             *     ]
             */
            ids: string[];
            /**
             * @description Security actions and changes of the schedule only: the address of the caller.
             * @example 203.0.113.7
             */
            address?: string;
            /** @description Security actions and changes of the schedule only: the fields that were set. Of a subscription that got a URL, `newHost`: whether no subscription of the organization had this host before. Of a program token that ended by itself, as `reason` `lifetime` or `operator` (the access of its operator has changed). Of a connection that the authorization server has ended, the name of the app, and as `reason` `revoked` (by the app), `replay` (a code or refresh token was used twice) or `operator` (the administrator who connected the app has changed). */
            changes?: {
                /**
                 * @description The name of the field.
                 * @example role
                 */
                field: string;
                /**
                 * @description The new value; of a URL, the host. Absent if it can contain a secret.
                 * @example staff
                 */
                value?: string | number | boolean | string[];
                /**
                 * @description The host of a changed URL before.
                 * @example old.example.com
                 */
                before?: string;
            }[];
            /**
             * @description Commands of chairside-admin only: the person who ran it, as given.
             * @example j.doe
             */
            by?: string;
            /**
             * @description Commands of chairside-admin only: why, as given.
             * @example Ticket 4711: the key was published.
             */
            reason?: string;
            /**
             * Format: int64
             * @description Refused sign-ins only: the number of refused sign-ins of the operator from one network in one minute.
             * @example 5
             */
            count?: number;
            /**
             * Format: int64
             * @description A long list leaves several entries. This is the number of the entry, counted from 1.
             * @example 1
             */
            part?: number;
            /**
             * @description The result: `ok`, `not_modified`, `headers` (a HEAD request, which returns no record), `refused` (a sign-in), the `name` of the error response, `failed`, or a short description. `begun`: the process crashed before it stored the result.
             * @example ok
             */
            result: string;
            /**
             * @description The id of the request, as in `X-Request-Id`. For chairside-admin, the id of the run of the command.
             * @example 01JB00000000000000REQVEST0
             */
            requestId: string;
        };
        /** @description The free slots of a clinic. */
        Availability: {
            /**
             * @description IANA time zone of the clinic.
             * @example Europe/Berlin
             */
            timeZone?: string;
            /**
             * Format: int64
             * @description The length of each slot.
             * @example 30
             */
            durationMinutes: number;
            /** @description At most 360 free slots in the order of time. They may overlap each other. */
            slots: {
                /**
                 * Format: date-time
                 * @description Start, in local time of the clinic.
                 * @example 2030-01-31T09:30:00+01:00
                 */
                start: string;
                /**
                 * Format: date-time
                 * @description End, in local time of the clinic.
                 * @example 2030-01-31T10:00:00+01:00
                 */
                end: string;
            }[];
            /**
             * @description Whether there are more slots. Then search again with the day of the last slot as `from`.
             * @example false
             */
            isCut: boolean;
            /** @description When the clinic is open on each day. Empty if the hours were never set. */
            openingHours: {
                /**
                 * @description The day.
                 * @example 2030-01-31
                 */
                date: string;
                /** @description When the clinic is open. Empty: closed. */
                intervals: {
                    /**
                     * Format: date-time
                     * @description Start, in local time of the clinic.
                     * @example 2030-01-31T09:30:00+01:00
                     */
                    start: string;
                    /**
                     * Format: date-time
                     * @description End, in local time of the clinic.
                     * @example 2030-01-31T10:00:00+01:00
                     */
                    end: string;
                }[];
            }[];
            /**
             * @description Why there is no slot. `no_time_zone`, `no_opening_hours`: a setting of the clinic is missing. `closed`: not open on these days. `too_long`: no opening is as long as the slot. `past`: all slots have begun. `blocked`: calendar blocks cover the rest. `fully_booked`: appointments fill all chairs. `provider_busy`: the provider has other appointments.
             * @enum {string}
             */
            reason?: "no_time_zone" | "no_opening_hours" | "closed" | "too_long" | "past" | "blocked" | "fully_booked" | "provider_busy";
        };
        Batch: {
            /**
             * @description The writes, at most 500.
             * @example [
             *       {
             *         "method": "upsert",
             *         "kind": "patient",
             *         "externalId": "pms:4711",
             *         "body": {
             *           "clinicId": "01JB0000000000000000CHN1C0",
             *           "name": "Test Patient"
             *         }
             *       }
             *     ]
             */
            writes: {
                /**
                 * @description What to do, like the single call.
                 * @example upsert
                 * @enum {string}
                 */
                method: "create" | "update" | "upsert" | "delete";
                /**
                 * @description The kind of record.
                 * @example patient
                 * @enum {string}
                 */
                kind: "patient" | "appointment";
                /** @description Names the record of an update or a deletion. */
                _id?: string;
                /**
                 * @description Names the record of an upsert, or instead of `_id`. A creation has it in its body.
                 * @example pms:4711
                 */
                externalId?: string;
                /** @description The version that the record must have, like the header `If-Match`. */
                ifMatch?: string;
                /**
                 * @description The body of the single call.
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "name": "Test Patient"
                 *     }
                 */
                body?: {
                    [key: string]: unknown;
                };
            }[];
            /**
             * @description With `minimal`, the results have no records.
             * @example minimal
             * @constant
             */
            return?: "minimal";
        };
        /** @description The results of a batch. */
        BatchResult: {
            /** @description The results, in the order of the writes. */
            results: components["schemas"]["WriteResult"][];
        };
        /** @description A time without appointments, of a clinic or of one provider. */
        CalendarBlock: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000B10CK000
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The provider whose time is blocked. Absent: the whole clinic is blocked.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string;
            /**
             * Format: date-time
             * @description Start of the block.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime: string;
            /**
             * Format: date-time
             * @description End of the block: after `startTime`, by at most 366 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime: string;
            /**
             * @description Why the time is blocked.
             * @example HOLIDAY
             * @enum {string}
             */
            kind: "CLOSED" | "HOLIDAY" | "BREAK" | "MEETING" | "MAINTENANCE" | "OTHER";
        };
        CalendarBlockCreate: {
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The provider whose time is blocked. Absent: the whole clinic is blocked.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string | null;
            /**
             * Format: date-time
             * @description Start of the block.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime: string;
            /**
             * Format: date-time
             * @description End of the block: after `startTime`, by at most 366 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime: string;
            /**
             * @description Why the time is blocked.
             * @example HOLIDAY
             * @enum {string}
             */
            kind: "CLOSED" | "HOLIDAY" | "BREAK" | "MEETING" | "MAINTENANCE" | "OTHER";
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        CalendarBlockSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000B10CK000
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The provider whose time is blocked. Absent: the whole clinic is blocked.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string;
            /**
             * Format: date-time
             * @description Start of the block.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime?: string;
            /**
             * Format: date-time
             * @description End of the block: after `startTime`, by at most 366 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime?: string;
            /**
             * @description Why the time is blocked.
             * @example HOLIDAY
             * @enum {string}
             */
            kind?: "CLOSED" | "HOLIDAY" | "BREAK" | "MEETING" | "MAINTENANCE" | "OTHER";
        };
        CalendarBlockUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The provider whose time is blocked. Absent: the whole clinic is blocked.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string | null;
            /**
             * Format: date-time
             * @description Start of the block.
             * @example 2030-01-31T09:30:00.000Z
             */
            startTime?: string;
            /**
             * Format: date-time
             * @description End of the block: after `startTime`, by at most 366 days.
             * @example 2030-01-31T10:00:00.000Z
             */
            endTime?: string;
            /**
             * @description Why the time is blocked.
             * @example HOLIDAY
             * @enum {string}
             */
            kind?: "CLOSED" | "HOLIDAY" | "BREAK" | "MEETING" | "MAINTENANCE" | "OTHER";
        };
        ChallengeAnswer: {
            /**
             * @description The `challenge` of the response before.
             * @example 0000000000000000000000000000000000000000000
             */
            challenge: string;
            /**
             * @description The six digits that the app shows. Blanks do not count.
             * @example 123456
             */
            code?: string;
            /**
             * @description One of the recovery codes. Case, blanks and dashes do not count.
             * @example abcd-efgh-ijkl-mnop
             */
            recoveryCode?: string;
            assertion?: components["schemas"]["PasskeyAssertion"];
        };
        /** @description A clinic of the organization. */
        Clinic: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000000CHN1C0
             */
            _id: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description Name of the clinic.
             * @example North clinic
             */
            name?: string;
            /**
             * @description Currency code of ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * @description Language tag of BCP 47.
             * @example de-DE
             */
            defaultLocale?: string;
            /**
             * @description IANA time zone.
             * @example Europe/Berlin
             */
            timezone?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        ClinicSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000000CHN1C0
             */
            _id: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description Name of the clinic.
             * @example North clinic
             */
            name?: string;
            /**
             * @description Currency code of ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * @description Language tag of BCP 47.
             * @example de-DE
             */
            defaultLocale?: string;
            /**
             * @description IANA time zone.
             * @example Europe/Berlin
             */
            timezone?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime?: string;
        };
        CodeCompletion: {
            /**
             * @description The six digits that the app shows. Blanks do not count.
             * @example 123456
             */
            code: string;
        };
        /** @description The address with which the operator can sign in now. */
        CompletedInvitation: {
            /**
             * Format: email
             * @description E-mail address for signing in. It is unique.
             * @example operator@example.com
             */
            email: string;
        };
        Confirmation: {
            /**
             * @description Your own password.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description Needed before the factors are changed. A sign-in does not count for this.
             * @constant
             */
            for?: "factors";
            /**
             * @description The `challenge` of the response before.
             * @example 0000000000000000000000000000000000000000000
             */
            challenge?: string;
            /**
             * @description The six digits that the app shows. Blanks do not count.
             * @example 123456
             */
            code?: string;
            /**
             * @description One of the recovery codes. Case, blanks and dashes do not count.
             * @example abcd-efgh-ijkl-mnop
             */
            recoveryCode?: string;
            assertion?: components["schemas"]["PasskeyAssertion"];
        };
        /** @description An app, such as an AI assistant, that may read the settings of the practice. */
        Connection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000C0NNECT0
             */
            _id: string;
            /**
             * @description The name that the app gives itself. Any app can use any name.
             * @example Claude
             */
            clientName: string;
            /**
             * @description The host that the browser was sent back to after the grant.
             * @example claude.ai
             */
            redirectHost: string;
            /**
             * @description The `_id` of the administrator who granted the connection.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * Format: date-time
             * @description When the connection was granted.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the app last used the connection, to the minute.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /** @description What the app has asked for: each tool of the connector that it has called, the last one first. */
            tools: {
                /**
                 * @description The name of the tool.
                 * @example find_availability
                 */
                name: string;
                /**
                 * Format: date-time
                 * @description When the app last called the tool, to the minute.
                 * @example 2030-01-31T09:30:00.000Z
                 */
                lastUsedTime: string;
            }[];
        };
        /** @description A new subscription with its secret. */
        CreatedWebhookSubscription: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB000000000000SVBSCR1PT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The URL of the receiver, to which events are sent with POST. It must be an absolute `https` URL without credentials and without a fragment. Its address must not be private. It is stored and returned in normal form: `HTTPS://Example.com:443` becomes `https://example.com/`.
             * @example https://example.com/webhooks
             */
            url: string;
            /**
             * @description The events that the subscription receives. A family such as `patient.*` stands for all its events. An empty array stands for all events.
             * @example [
             *       "patient.*",
             *       "appointment.created"
             *     ]
             */
            events: ("patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded" | "patient.*" | "appointment.*" | "invoice.*" | "payment.*")[];
            /**
             * @description What `data` of each webhook has. `full`: the record. `ids`: only its `_id`, `clinicId` and `lastEditTime`, and `patientId`, `appointmentId`, `invoiceId` and `externalId`, where the record has them; read the rest with `GET`. It takes effect within a second, for redeliveries, too.
             * @example full
             * @enum {string}
             */
            payload: "full" | "ids";
            /**
             * @description Fixed headers of each request to the receiver, such as `Authorization`: names and values, at most 10. The values are stored encrypted. Responses show `********` instead of each.
             * @example {
             *       "Authorization": "********"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description Whether the subscription is enabled. 20 failures in a row disable it.
             * @example true
             */
            active: boolean;
            /**
             * Format: date-time
             * @description When the subscription was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When an operator last edited the subscription.
             * @example 2030-01-15T08:00:00.000Z
             */
            lastEditTime: string;
            /**
             * @description The state, from the attempts of every kind. `new`: no attempt in the last 30 days, or a replacement that has not been switched to. `healthy`: the last attempt succeeded. `failing`: it failed. `slowed`: from 5 failures in a row on, one attempt at a time is made, with pauses. `recovering`: the last attempt succeeded after failures, and events still wait. `disabled`: 20 failures in a row have disabled it. `off`: an operator has disabled it. `replaced`: another subscription gets its events.
             * @example healthy
             * @enum {string}
             */
            state: "new" | "healthy" | "failing" | "slowed" | "recovering" | "disabled" | "off" | "replaced";
            /**
             * @description Why deliveries wait, whatever the state. `host_blocked`: the operator of the service has blocked the host of the URL. Nothing is lost, and waiting counts as no failure.
             * @example host_blocked
             * @enum {string}
             */
            withheld?: "host_blocked";
            /**
             * Format: date-time
             * @description While the subscription is slowed down: when the next event is sent at the earliest.
             */
            nextAttemptTime?: string;
            /**
             * Format: int64
             * @description The number of failed deliveries since the last success. At 20, the subscription is disabled.
             * @example 0
             */
            consecutiveFailures: number;
            /**
             * Format: date-time
             * @description When the subscription was disabled or replaced.
             */
            disabledTime?: string;
            /** @description Why the subscription was disabled, with the last causes of failure. */
            disabledReason?: string;
            /** @description The subscription that this one replaces, or will replace once it is active. */
            replaces?: string;
            /** @description The subscription that gets the events of this one, because it has replaced it. */
            replacedBy?: string;
            /**
             * Format: date-time
             * @description When the last attempt was made.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastDeliveryTime?: string;
            /**
             * Format: int64
             * @description Status code of the response to the last attempt.
             * @example 204
             */
            lastStatusCode?: number;
            /**
             * @description The secret that signs the webhooks of this subscription: `whsec_` and 32 letters and digits. For `X-Service-Signature`, the key is the whole string; for `webhook-signature`, the 24 bytes that the part after `whsec_` decodes to with Base64, as the libraries of Standard Webhooks do. It is shown only once.
             * @example whsec_00000000000000000000000000000000
             */
            secret: string;
        };
        /** @description The API key of the request, without its secret. */
        CurrentApiKey: {
            /**
             * @description The purpose of the key, in your own words.
             * @example Recall letters
             */
            name: string;
            /**
             * @description The scopes of the key.
             * @example [
             *       "patients:read",
             *       "appointments:read"
             *     ]
             */
            scopes: ("appointments:read" | "appointments:write" | "clinics:read" | "invoices:read" | "patients:read" | "patients:write" | "payments:read" | "treatments:read")[];
            /**
             * @description The clinics that the key is for. What belongs to other clinics does not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: int32
             * @description Rate limit: requests per minute.
             * @example 600
             */
            rateLimit: number;
            /**
             * Format: date-time
             * @description When the key last got a new secret. Absent if it was never rotated.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastRotationTime?: string;
            /**
             * Format: date-time
             * @description When the key ends: from then on it gets a 401. Absent if it has no end.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime?: string;
            /**
             * @description The `origin.ref` of events that this key causes, with which a program recognizes its own changes. It stays the same when the key is rotated.
             * @example Zk5sE1vT0mQeY2xHq3pJbA
             */
            ref: string;
        };
        /** @description The program token of the request, without the token itself. */
        CurrentProgramToken: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000T0KEN000
             */
            _id: string;
            /**
             * @description The `_id` of the operator who created the token.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description The purpose of the token, in your own words.
             * @example Onboarding of clinics
             */
            name: string;
            /**
             * @description What the token may do. `webhooks`: manage subscriptions, send tests, list and repeat deliveries, and read clinics, statistics, the state of the service and the event log. It can read patient data in events.
             * @example webhooks
             * @enum {string}
             */
            access: "webhooks";
            /**
             * @description The clinics that the token is for. Subscriptions, deliveries, statistics and events of other clinics do not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: date-time
             * @description When the token was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the token was last used, to the minute. Absent if it was not used.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /**
             * Format: date-time
             * @description When the token ends at the latest. It ends earlier with the access of its operator, or when somebody ends it.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime: string;
            /**
             * @description The `origin.ref` of events that this token causes, with which a program recognizes its own changes.
             * @example Zk5sE1vT0mQeY2xHq3pJbA
             */
            ref: string;
        };
        /** @description The session of the request. */
        CurrentSession: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000SESS10N00
             */
            _id: string;
            /**
             * @description The `_id` of the operator.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description E-mail address of the operator. Only the current session has it.
             * @example operator@example.com
             */
            email?: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role: "administrator" | "staff";
            /**
             * Format: date-time
             * @description When the session began.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the session was last used, to the minute.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime: string;
            /**
             * Format: date-time
             * @description When the password was last entered in this session.
             * @example 2030-01-31T09:30:00.000Z
             */
            confirmedTime: string;
            /**
             * Format: date-time
             * @description When the session ends at the latest. It ends earlier if it is not used for 60 minutes.
             * @example 2030-01-31T21:30:00.000Z
             */
            expiryTime: string;
            /**
             * @description The address from which the operator signed in.
             * @example 203.0.113.7
             */
            address?: string;
            /**
             * @description The `User-Agent` of the sign-in, at most 200 characters.
             * @example Mozilla/5.0
             */
            userAgent?: string;
            /**
             * @description Name of the operator, shown where people are listed.
             * @example Ada Byron
             */
            name?: string;
            /**
             * @description What the operator is asked besides the password.
             * @example [
             *       "passkey"
             *     ]
             */
            factors: ("passkey" | "code")[];
            /**
             * @description Whether the organization requires a factor besides the password, and the operator has none. Then the session can only add one and sign out.
             * @example false
             */
            factorRequired: boolean;
            /** @description The organization of the operator. */
            organization: {
                /**
                 * @description Its name.
                 * @example Practice East
                 */
                name: string;
            };
            /**
             * @description Whether the service sends mails. If not, invitations are links that an administrator passes on.
             * @example true
             */
            mail: boolean;
        };
        /** @description An empty object. */
        Empty: Record<string, never>;
        /** @description The body of every error response. */
        Error: {
            /** @description Describes for people what is wrong and what to do. The wording may change. */
            message: string;
            /**
             * @description The kind of error, for programs.
             * @enum {string}
             */
            name: "ValidationError" | "BadRequest" | "Unauthorized" | "Forbidden" | "NotFound" | "MethodNotAllowed" | "Conflict" | "LogExpired" | "PreconditionFailed" | "PayloadTooLarge" | "UnsupportedMediaType" | "TooManyRequests" | "ServiceUnavailable" | "RequestTimeout" | "InternalServerError";
            /**
             * Format: int64
             * @description The status of the response.
             */
            statusCode: number;
            /** @description Details of the error. */
            details: {
                /** @description The same as `X-Request-Id`. Quote it when you contact us. */
                requestId: string;
                /** @description ValidationError only: every issue found, at most 100 issues and 24576 bytes in all. */
                issues?: {
                    /**
                     * @description The field, as a dotted path.
                     * @example clinicId
                     */
                    path: string;
                    /**
                     * @description What the field must be.
                     * @example is required
                     */
                    message: string;
                    /**
                     * @description The kind of the issue, for programs. `required`: it is absent. `unknown`: there is no field or parameter of this name. `repeated`: the parameter occurs more than once. `wrong_type`: another JSON type. `too_large`, `too_small`: too long, too many or too high, or the opposite. `not_found`: it names nothing in the organization. `taken`: something else has it. `limit_reached`: there is the maximum already. `read_only`: it cannot be set or changed. `invalid`: any other value that is not accepted. Later versions may add kinds.
                     * @example required
                     * @enum {string}
                     */
                    code: "required" | "unknown" | "repeated" | "wrong_type" | "too_large" | "too_small" | "invalid" | "not_found" | "taken" | "limit_reached" | "read_only";
                }[];
                /**
                 * Format: int64
                 * @description ValidationError only: the number of issues that `issues` does not list.
                 */
                moreIssues?: number;
                /**
                 * @description 409 only: the kind of the conflict, for programs. Later versions may add kinds.
                 * @enum {string}
                 */
                code?: "idempotency_key_reused" | "idempotency_key_in_flight" | "idempotency_record_deleted" | "later_write_made" | "time_not_free" | "external_id_taken" | "subscription_replaced" | "replacement_exists" | "replacement_pending" | "delivery_not_final" | "event_expired" | "last_administrator" | "not_invited" | "no_mail" | "factor_exists" | "own_factors" | "no_factor" | "passkeys_off" | "session_ended" | "app_changed" | "too_many_connections";
                /**
                 * @description 403 only: the scope that the key lacks.
                 * @enum {string}
                 */
                requiredScope?: "appointments:read" | "appointments:write" | "clinics:read" | "invoices:read" | "patients:read" | "patients:write" | "payments:read" | "treatments:read";
                /**
                 * @description 403 only: the required role.
                 * @enum {string}
                 */
                requiredRole?: "administrator" | "staff";
                /**
                 * @description 403 only: confirm the password with `POST /api/sessions/current/confirm`, with `for: "factors"` if this is `factors`; then repeat the request.
                 * @enum {string}
                 */
                requiredConfirmation?: "password" | "factors";
                /** @description 401 without a session and 403 inside one: the password is right, and the operator has a factor. Answer `challenge` in one of these ways. 401 with a `challenge` in the request: the answer was wrong; the same challenge can be answered again, up to five times. */
                requiredSecondFactor?: ("passkey" | "code" | "recoveryCode")[];
                /** @description With `requiredSecondFactor`: what the answer belongs to, for five minutes. For a passkey, it is the challenge of WebAuthn, in base64url. */
                challenge?: string;
                /**
                 * @description 403 only: your organization requires a factor besides the password. Add a passkey or an app with `POST /api/sessions/current/factors/…`.
                 * @constant
                 */
                requiredFactor?: true;
                /**
                 * @description 403 only: somebody else chose your password. Change it with `PUT /api/sessions/current/password`.
                 * @constant
                 */
                requiredPasswordChange?: true;
                /**
                 * Format: date-time
                 * @description 410 only: the event log contains all events that entered it at this time or later.
                 */
                earliestTime?: string;
                /** @description 409 only: the record that has the external id, if the caller may read it. */
                _id?: string;
                /** @description 409 only: the subscription that replaces this one. */
                replacedBy?: string;
                /** @description 409 of a booking with `onlyIfFree`: why the time is not free. The values are those of `reason` in `GET /api/availability`. 409 of an external id that another record has: `external_id_taken`. 403 of every request: `organization_suspended`, if the operator of the service has suspended the access of the organization. */
                reason?: string;
                /** @description 409 of a booking with `onlyIfFree`: the next three free slots of this length, at this time or later, in local time of the clinic. Fewer if there are no more within 31 days. */
                nextSlots?: {
                    /** Format: date-time */
                    start: string;
                    /** Format: date-time */
                    end: string;
                }[];
                /**
                 * @description 403 only: the dashboard that forwarded the request has another `PROXY_SECRET` than the api.
                 * @constant
                 */
                wrongProxySecret?: true;
            } & {
                [key: string]: unknown;
            };
        };
        /** @description An event as it was sent, and the time at which it entered the log. `event` determines what `data` is. */
        Event: components["schemas"]["PatientEvent"] | components["schemas"]["AppointmentEvent"] | components["schemas"]["InvoiceEvent"] | components["schemas"]["PaymentEvent"];
        /** @description Where an event comes from. */
        EventOrigin: {
            /**
             * @description Who caused the event.
             * @example apiKey
             * @enum {string}
             */
            kind: "apiKey" | "programToken" | "operator" | "import" | "service";
            /**
             * @description Names the key or token that caused the event, to that key or token alone: `ref` of `GET /api/apikeys/current`, or of `GET /api/sessions/current` for a program token. Drop the events with your own `ref` to ignore your own changes.
             * @example Zk5sE1vT0mQeY2xHq3pJbA
             */
            ref?: string;
            /**
             * @description The `X-Request-Id` of the request that caused the event.
             * @example 01JB00000000000REQVEST1D00
             */
            requestId?: string;
        };
        /** @description What an operator is asked besides the password. */
        Factors: {
            /** @description The oldest first. */
            passkeys: components["schemas"]["Passkey"][];
            /** @description One-time codes of an app. Absent without one. */
            codes?: {
                /**
                 * Format: date-time
                 * @description When the app was added.
                 * @example 2030-01-31T09:30:00.000Z
                 */
                createdTime: string;
            };
            recoveryCodes: {
                /**
                 * Format: int64
                 * @description How many recovery codes are left.
                 * @example 10
                 */
                left: number;
            };
            /**
             * @description Whether the organization requires a factor of this operator.
             * @example false
             */
            required: boolean;
            /**
             * @description Why no passkey can be added or used: the service has no dashboard (`no_dashboard`), or its address is an IP address (`ip_address`) or neither HTTPS nor `localhost` (`insecure`).
             * @enum {string}
             */
            passkeysOff?: "no_dashboard" | "ip_address" | "insecure";
        };
        InvitationCompletion: {
            /**
             * @description What follows the `#` of the link.
             * @example 0000000000000000000000000000000000000000000
             */
            secret: string;
            /**
             * @description Name of the operator, shown where people are listed.
             * @example Ada Byron
             */
            name?: string;
            /**
             * @description At least 12 characters.
             * @example correct horse battery
             */
            password: string;
        };
        /** @description An operator, perhaps with the link of an invitation. */
        InvitedOperator: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PERAT0R0
             */
            _id: string;
            /**
             * Format: email
             * @description E-mail address for signing in. It is unique.
             * @example operator@example.com
             */
            email: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role: "administrator" | "staff";
            /**
             * @description Whether the operator may sign in.
             * @example true
             */
            active: boolean;
            /**
             * @description Whether somebody else chose the password. If so, the operator can only change it or sign out.
             * @example false
             */
            passwordChangeRequired: boolean;
            /**
             * @description What the operator is asked besides the password.
             * @example [
             *       "passkey"
             *     ]
             */
            factors: ("passkey" | "code")[];
            /**
             * @description Name of the operator, shown where people are listed.
             * @example Ada Byron
             */
            name?: string;
            /**
             * Format: date-time
             * @description When the operator was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the operator last signed in.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastSignInTime?: string;
            /** @description Only while the operator has been invited and has not chosen a password. Such an operator cannot sign in. */
            invitation?: {
                /**
                 * Format: date-time
                 * @description When the link of the invitation ends.
                 * @example 2030-02-03T09:30:00.000Z
                 */
                expiryTime: string;
                /**
                 * @description What happened to the mail: `queued` and `sending` are on the way, `sent` was taken by the mail server, `failed` was refused or its time was over, `unknown` was not confirmed. Absent if no mail was sent, or if it was sent more than 30 days ago.
                 * @example sent
                 * @enum {string}
                 */
                mail?: "queued" | "sending" | "sent" | "failed" | "unknown";
            };
            /**
             * Format: date-time
             * @description When the operator was disabled.
             * @example 2030-01-31T09:30:00.000Z
             */
            disabledTime?: string;
            /**
             * @description The link with which the operator chooses a password. It is there only if the service sends no mail: pass it on. No other response contains it.
             * @example https://dashboard.example.com/invitation#0000000000000000000000000000000000000000000
             */
            invitationUrl?: string;
        };
        /** @description An invoice to a patient. */
        Invoice: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000001NV010
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId: string;
            /**
             * @description Invoice number, with the JSON type it was stored with.
             * @example R-2030-17
             */
            number: number | string;
            /**
             * @description Total amount due, in units of `currency`.
             * @example 120.5
             */
            total: number;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * @description Status of the invoice.
             * @example OPEN
             * @enum {string}
             */
            status: "DRAFT" | "OPEN" | "PARTIALLY_PAID" | "PAID" | "VOID" | "REFUNDED";
            /**
             * Format: date-time
             * @description When the payment is due.
             * @example 2030-02-14T23:00:00.000Z
             */
            dueTime?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            creationTime: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
        };
        /** @description An event of the log whose `data` is the invoice as GET returned it at the time of the event; for a deletion, the deleted invoice. */
        InvoiceEvent: {
            /**
             * @description The event's id. It is the same in redeliveries; use it to detect duplicates.
             * @example 01JB000000000000000EVENT10
             */
            id: string;
            /**
             * @description Name of the event.
             * @example invoice.created
             * @enum {string}
             */
            event: "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided";
            /**
             * Format: int64
             * @description Time of the event, in Unix seconds.
             * @example 1896082200
             */
            timestamp: number;
            data: components["schemas"]["Invoice"];
            origin: components["schemas"]["EventOrigin"];
            /**
             * @description The names of the fields that differ from the version before, without `lastEditTime`. Empty if none does. Only an event `invoice.updated` has it.
             * @example [
             *       "phone"
             *     ]
             */
            changed?: string[];
            /** @description The `_id`s of the clinics whose subscriptions receive the event. */
            clinicIds: string[];
            /**
             * Format: date-time
             * @description When the event entered the log. `since` refers to this time.
             * @example 2030-01-31T09:30:00.250Z
             */
            loggedTime: string;
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        InvoiceSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000001NV010
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string;
            /**
             * @description Invoice number, with the JSON type it was stored with.
             * @example R-2030-17
             */
            number?: number | string;
            /**
             * @description Total amount due, in units of `currency`.
             * @example 120.5
             */
            total?: number;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * @description Status of the invoice.
             * @example OPEN
             * @enum {string}
             */
            status?: "DRAFT" | "OPEN" | "PARTIALLY_PAID" | "PAID" | "VOID" | "REFUNDED";
            /**
             * Format: date-time
             * @description When the payment is due.
             * @example 2030-02-14T23:00:00.000Z
             */
            dueTime?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            creationTime?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime?: string;
        };
        /** @description The secret of an app that is being added. */
        NewCode: {
            /**
             * @description The secret, in base32, to type into the app.
             * @example AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            secret: string;
            /**
             * @description The same for a QR code.
             * @example otpauth://totp/Chairside:operator%40example.com?issuer=Chairside&secret=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
             */
            uri: string;
        };
        /** @description An empty object. */
        NoFields: Record<string, never>;
        /** @description A mail that has told an operator what happened. */
        Notice: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000N0T1CE00
             */
            _id: string;
            /**
             * Format: date-time
             * @description When the mail was made.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * @description The `_id` of the operator whom the mail is for.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description What happened to the mail: `queued` and `sending` are on the way, `sent` was taken by the mail server, `failed` was refused or its time was over, `unknown` was not confirmed.
             * @example sent
             * @enum {string}
             */
            state: "queued" | "sending" | "sent" | "failed" | "unknown";
            /**
             * Format: date-time
             * @description When the mail was sent, or when it failed.
             * @example 2030-01-31T09:30:00.000Z
             */
            finalTime?: string;
            /** @description What the mail tells. */
            facts: {
                /**
                 * @description What was told: one of the notices that can be switched off, or `passwordChanged`, `emailChanged`, `roleChanged`, `newNetwork`.
                 * @example subscriptionDisabled
                 * @enum {string}
                 */
                kind: "subscriptionFailing" | "subscriptionDisabled" | "subscriptionRecovered" | "credentialEnding" | "appConnected" | "newReceiverHost" | "passwordChanged" | "factorsChanged" | "codesPaused" | "emailChanged" | "roleChanged" | "newNetwork";
                /**
                 * Format: int64
                 * @description The number of facts of this kind.
                 * @example 1
                 */
                count: number;
                /**
                 * @description The `_id`s of the subscriptions, keys, program tokens or connections that it is about, at most 20.
                 * @example [
                 *       "01JB000000000000SVBSCR1PT0"
                 *     ]
                 */
                ids: string[];
            }[];
        };
        /** @description Which notices an administrator gets by mail. Notices about your own account (password, e-mail address, role, a sign-in from a new network) cannot be switched off. */
        NoticeSettings: {
            /**
             * @description Whether you are told that a subscription has failed for 15 minutes.
             * @example true
             */
            subscriptionFailing: boolean;
            /**
             * @description Whether you are told that a subscription was disabled.
             * @example true
             */
            subscriptionDisabled: boolean;
            /**
             * @description Whether you are told that such a subscription works again.
             * @example true
             */
            subscriptionRecovered: boolean;
            /**
             * @description Whether you are told that an API key or a program token ends within 7 days.
             * @example true
             */
            credentialEnding: boolean;
            /**
             * @description Whether you are told that an app was connected.
             * @example true
             */
            appConnected: boolean;
            /**
             * @description Whether you are told that a subscription sends to a host that is new to the organization.
             * @example true
             */
            newReceiverHost: boolean;
        };
        NoticeSettingsUpdate: {
            /**
             * @description Whether you are told that a subscription has failed for 15 minutes.
             * @example true
             */
            subscriptionFailing?: boolean;
            /**
             * @description Whether you are told that a subscription was disabled.
             * @example true
             */
            subscriptionDisabled?: boolean;
            /**
             * @description Whether you are told that such a subscription works again.
             * @example true
             */
            subscriptionRecovered?: boolean;
            /**
             * @description Whether you are told that an API key or a program token ends within 7 days.
             * @example true
             */
            credentialEnding?: boolean;
            /**
             * @description Whether you are told that an app was connected.
             * @example true
             */
            appConnected?: boolean;
            /**
             * @description Whether you are told that a subscription sends to a host that is new to the organization.
             * @example true
             */
            newReceiverHost?: boolean;
        };
        /** @description When a clinic is open. */
        OpeningHours: {
            /** @description The opening hours of each weekday. */
            weekdays: {
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                monday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                tuesday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                wednesday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                thursday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                friday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                saturday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed.
                 * @default []
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                sunday: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
            };
            /**
             * @description Days with other hours. An exception replaces the hours of its weekday.
             * @default []
             * @example [
             *       {
             *         "date": "2030-12-24",
             *         "intervals": []
             *       }
             *     ]
             */
            exceptions: {
                /**
                 * Format: date
                 * @description A day in the time zone of the clinic.
                 * @example 2030-12-24
                 */
                date: string;
                /** @description The opening hours of this day. An empty list means closed. */
                intervals: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
            }[];
            /**
             * Format: int32
             * @description The number of appointments that the clinic holds at once.
             * @default 1
             * @example 3
             */
            chairs: number;
            /**
             * Format: int32
             * @description The minutes between the starts of free slots.
             * @default 15
             * @example 15
             */
            slotMinutes: number;
        };
        /** @description Opening hours to try, and the days to search. */
        OpeningHoursPreview: {
            /**
             * Format: date
             * @description The first day, in the time zone of the clinic.
             * @example 2030-01-31
             */
            from: string;
            /**
             * Format: date
             * @description The last day, included. A search covers at most 31 days.
             * @example 2030-01-31
             */
            to: string;
            /**
             * Format: int32
             * @description Duration in minutes.
             * @example 30
             */
            durationMinutes: number;
            hours: components["schemas"]["OpeningHoursUpdate"];
        };
        /** @description All opening hours of a clinic. */
        OpeningHoursUpdate: {
            /** @description The opening hours of each weekday. */
            weekdays: {
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                monday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                tuesday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                wednesday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                thursday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                friday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                saturday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
                /**
                 * @description The opening hours of this weekday. An empty list means closed. Default: `[]`.
                 * @example [
                 *       {
                 *         "opens": "08:00",
                 *         "closes": "17:30"
                 *       }
                 *     ]
                 */
                sunday?: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
            };
            /**
             * @description Days with other hours. An exception replaces the hours of its weekday. Default: `[]`.
             * @example [
             *       {
             *         "date": "2030-12-24",
             *         "intervals": []
             *       }
             *     ]
             */
            exceptions?: {
                /**
                 * Format: date
                 * @description A day in the time zone of the clinic.
                 * @example 2030-12-24
                 */
                date: string;
                /** @description The opening hours of this day. An empty list means closed. */
                intervals: {
                    /**
                     * @description Local time in the time zone of the clinic.
                     * @example 08:00
                     */
                    opens: string;
                    /**
                     * @description Local time in the time zone of the clinic. `24:00` is the end of the day.
                     * @example 17:30
                     */
                    closes: string;
                }[];
            }[];
            /**
             * Format: int32
             * @description The number of appointments that the clinic holds at once. Default: `1`.
             * @example 3
             */
            chairs?: number;
            /**
             * Format: int32
             * @description The minutes between the starts of free slots. Default: `15`.
             * @example 15
             */
            slotMinutes?: number;
        };
        /** @description A person who signs in. */
        Operator: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PERAT0R0
             */
            _id: string;
            /**
             * Format: email
             * @description E-mail address for signing in. It is unique.
             * @example operator@example.com
             */
            email: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role: "administrator" | "staff";
            /**
             * @description Whether the operator may sign in.
             * @example true
             */
            active: boolean;
            /**
             * @description Whether somebody else chose the password. If so, the operator can only change it or sign out.
             * @example false
             */
            passwordChangeRequired: boolean;
            /**
             * @description What the operator is asked besides the password.
             * @example [
             *       "passkey"
             *     ]
             */
            factors: ("passkey" | "code")[];
            /**
             * @description Name of the operator, shown where people are listed.
             * @example Ada Byron
             */
            name?: string;
            /**
             * Format: date-time
             * @description When the operator was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the operator last signed in.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastSignInTime?: string;
            /** @description Only while the operator has been invited and has not chosen a password. Such an operator cannot sign in. */
            invitation?: {
                /**
                 * Format: date-time
                 * @description When the link of the invitation ends.
                 * @example 2030-02-03T09:30:00.000Z
                 */
                expiryTime: string;
                /**
                 * @description What happened to the mail: `queued` and `sending` are on the way, `sent` was taken by the mail server, `failed` was refused or its time was over, `unknown` was not confirmed. Absent if no mail was sent, or if it was sent more than 30 days ago.
                 * @example sent
                 * @enum {string}
                 */
                mail?: "queued" | "sending" | "sent" | "failed" | "unknown";
            };
            /**
             * Format: date-time
             * @description When the operator was disabled.
             * @example 2030-01-31T09:30:00.000Z
             */
            disabledTime?: string;
        };
        OperatorCreate: {
            /**
             * Format: email
             * @description E-mail address for signing in. It is unique.
             * @example operator@example.com
             */
            email: string;
            /**
             * @description At least 12 characters, and not easy to guess. Without a password, the operator is invited.
             * @example correct horse battery
             */
            password?: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role: "administrator" | "staff";
            /**
             * @description Name of the operator, shown where people are listed.
             * @example Ada Byron
             */
            name?: string;
        };
        OperatorUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * Format: email
             * @description E-mail address for signing in. It is unique.
             * @example operator@example.com
             */
            email?: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role?: "administrator" | "staff";
            /**
             * @description Name of the operator. `null` removes it.
             * @example Ada Byron
             */
            name?: string | null;
            /**
             * @description Whether the operator may sign in.
             * @example true
             */
            active?: boolean;
            /**
             * @description At least 12 characters, and not easy to guess. The operator must change it at the next sign-in. Your own password changes only through `PUT /api/sessions/current/password`.
             * @example correct horse battery
             */
            password?: string;
            /** @description Set by the server. It may be sent back and is ignored. */
            passwordChangeRequired?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            factors?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            createdTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastSignInTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            invitation?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            disabledTime?: unknown;
        };
        /** @description The organization of the caller. */
        Organization: {
            /**
             * @description Its name.
             * @example Practice East
             */
            name: string;
            /**
             * @description Who must have a factor besides the password: nobody (`off`), `administrators` or `everybody`. Sessions of operators who lack it can only add one and sign out.
             * @example administrators
             * @enum {string}
             */
            requiredFactors: "off" | "administrators" | "everybody";
        };
        OrganizationUpdate: {
            /** @description Set by the operator of the service. It is ignored. */
            name?: unknown;
            /**
             * @description Who must have a factor besides the password: nobody (`off`), `administrators` or `everybody`. Sessions of operators who lack it can only add one and sign out.
             * @example administrators
             * @enum {string}
             */
            requiredFactors: "off" | "administrators" | "everybody";
        };
        /** @description A passkey of an operator. */
        Passkey: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PASSKEY0
             */
            _id: string;
            /**
             * @description Name of the passkey.
             * @example Phone
             */
            name: string;
            /**
             * Format: date-time
             * @description When the passkey was added.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When it was last used.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
        };
        /** @description The answer of a passkey: `PublicKeyCredential.toJSON()` after `navigator.credentials.get` with the challenge. */
        PasskeyAssertion: {
            /**
             * @description The id of the passkey.
             * @example AQID
             */
            id: string;
            /**
             * @description The id of the passkey.
             * @example AQID
             */
            rawId: string;
            /** @constant */
            type: "public-key";
            /** @description The answer of the authenticator. */
            response: {
                /**
                 * @description What the browser has signed.
                 * @example AQID
                 */
                clientDataJSON: string;
                /**
                 * @description Of the authenticator.
                 * @example AQID
                 */
                authenticatorData: string;
                /**
                 * @description Of the authenticator.
                 * @example AQID
                 */
                signature: string;
                /**
                 * @description Names the operator.
                 * @example AQID
                 */
                userHandle?: string | null;
            };
        };
        /** @description What a browser needs to sign in with a passkey alone. */
        PasskeyChallenge: {
            /**
             * @description The `challenge` of the response before.
             * @example 0000000000000000000000000000000000000000000
             */
            challenge: string;
            /** @description For `navigator.credentials`: the argument of `PublicKeyCredential.parse…OptionsFromJSON`. */
            options: {
                [key: string]: unknown;
            };
        };
        PasskeyCompletion: {
            /**
             * @description Name of the passkey.
             * @example Phone
             */
            name: string;
            credential: components["schemas"]["PasskeyRegistration"];
        };
        /** @description What a browser needs to create a passkey. */
        PasskeyOptions: {
            /** @description For `navigator.credentials`: the argument of `PublicKeyCredential.parse…OptionsFromJSON`. */
            options: {
                [key: string]: unknown;
            };
        };
        /** @description `PublicKeyCredential.toJSON()` after `navigator.credentials.create` with the `options`. */
        PasskeyRegistration: {
            /**
             * @description The id of the passkey.
             * @example AQID
             */
            id: string;
            /**
             * @description The id of the passkey.
             * @example AQID
             */
            rawId: string;
            /** @constant */
            type: "public-key";
            /** @description The answer of the authenticator. */
            response: {
                /**
                 * @description What the browser has signed.
                 * @example AQID
                 */
                clientDataJSON: string;
                /**
                 * @description The new key.
                 * @example AQID
                 */
                attestationObject: string;
                /** @description How the authenticator can be reached. */
                transports?: string[];
            };
        };
        PasskeyUpdate: {
            /**
             * @description Name of the passkey.
             * @example Phone
             */
            name: string;
        };
        PasswordChange: {
            /**
             * @description Your own password.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description The new password. It must not be easy to guess.
             * @example staple of the horse
             */
            newPassword: string;
            /**
             * @description The `challenge` of the response before.
             * @example 0000000000000000000000000000000000000000000
             */
            challenge?: string;
            /**
             * @description The six digits that the app shows. Blanks do not count.
             * @example 123456
             */
            code?: string;
            /**
             * @description One of the recovery codes. Case, blanks and dashes do not count.
             * @example abcd-efgh-ijkl-mnop
             */
            recoveryCode?: string;
            assertion?: components["schemas"]["PasskeyAssertion"];
        };
        PasswordResetCompletion: {
            /**
             * @description What follows the `#` of the link.
             * @example 0000000000000000000000000000000000000000000
             */
            secret: string;
            /**
             * @description At least 12 characters.
             * @example correct horse battery
             */
            password: string;
            /**
             * @description The `challenge` of the response before.
             * @example 0000000000000000000000000000000000000000000
             */
            challenge?: string;
            /**
             * @description The six digits that the app shows. Blanks do not count.
             * @example 123456
             */
            code?: string;
            /**
             * @description One of the recovery codes. Case, blanks and dashes do not count.
             * @example abcd-efgh-ijkl-mnop
             */
            recoveryCode?: string;
            assertion?: components["schemas"]["PasskeyAssertion"];
        };
        PasswordResetRequest: {
            /**
             * Format: email
             * @description E-mail address of the operator.
             * @example operator@example.com
             */
            email: string;
        };
        /** @description What a sign-in page needs to know. */
        PasswordResetState: {
            /**
             * @description Whether the service sends mails. If not, an administrator sets a new password.
             * @example true
             */
            mail: boolean;
        };
        /** @description A patient of a clinic. */
        Patient: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000000PAT1E0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description Full name.
             * @example Test Patient
             */
            name?: string;
            /**
             * Format: email
             * @description E-mail address. Searches ignore case; it is returned as it was sent.
             * @example test.patient@example.com
             */
            email?: string;
            /**
             * @description Telephone number.
             * @example +1 202 555 0100
             */
            phone?: string;
            /**
             * @description Language, such as a tag of BCP 47.
             * @example en
             */
            language?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
        };
        PatientCreate: {
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string | null;
            /**
             * @description Full name.
             * @example Test Patient
             */
            name?: string | null;
            /**
             * Format: email
             * @description E-mail address. Searches ignore case; it is returned as it was sent.
             * @example test.patient@example.com
             */
            email?: string | null;
            /**
             * @description Telephone number.
             * @example +1 202 555 0100
             */
            phone?: string | null;
            /**
             * @description Language, such as a tag of BCP 47.
             * @example en
             */
            language?: string | null;
        };
        /** @description An event of the log whose `data` is the patient as GET returned it at the time of the event; for a deletion, the deleted patient. */
        PatientEvent: {
            /**
             * @description The event's id. It is the same in redeliveries; use it to detect duplicates.
             * @example 01JB000000000000000EVENT10
             */
            id: string;
            /**
             * @description Name of the event.
             * @example patient.created
             * @enum {string}
             */
            event: "patient.created" | "patient.updated" | "patient.deleted";
            /**
             * Format: int64
             * @description Time of the event, in Unix seconds.
             * @example 1896082200
             */
            timestamp: number;
            data: components["schemas"]["Patient"];
            origin: components["schemas"]["EventOrigin"];
            /**
             * @description The names of the fields that differ from the version before, without `lastEditTime`. Empty if none does. Only an event `patient.updated` has it.
             * @example [
             *       "phone"
             *     ]
             */
            changed?: string[];
            /** @description The `_id`s of the clinics whose subscriptions receive the event. */
            clinicIds: string[];
            /**
             * Format: date-time
             * @description When the event entered the log. `since` refers to this time.
             * @example 2030-01-31T09:30:00.250Z
             */
            loggedTime: string;
        };
        /** @description What is stored about one patient. */
        PatientExport: {
            patient: components["schemas"]["Patient"];
            /** @description The appointments of the patient. */
            appointments: components["schemas"]["Appointment"][];
            /** @description The invoices to the patient. */
            invoices: components["schemas"]["Invoice"][];
            /** @description The payments of the patient. */
            payments: components["schemas"]["Payment"][];
            /** @description The treatments of the patient. */
            treatments: components["schemas"]["Treatment"][];
            /** @description The events of the last 30 days whose `data` is the patient, or a record of the patient. Records that were deleted since are among them. */
            events: components["schemas"]["Event"][];
            /** @description The reads of the patient, the newest first. This export is among them. */
            reads: components["schemas"]["PatientRead"][];
        };
        /** @description Who has read a patient, when, and by which request. */
        PatientRead: {
            /**
             * Format: date-time
             * @description When the patient was read.
             * @example 2030-01-31T09:30:00.000Z
             */
            time: string;
            /**
             * @description `read` (alone), `listed` (with others), `events_read` (events about the patient) or `exported`.
             * @example read
             * @enum {string}
             */
            action: "read" | "listed" | "events_read" | "exported";
            /** @description The principal behind the action. */
            principal: {
                /**
                 * @description `app`: a connected app, or someone with a code or token of it. `system`: the command line chairside-admin, or the service itself. `unknown`: the caller was not signed in.
                 * @example apiKey
                 * @enum {string}
                 */
                kind: "apiKey" | "operator" | "programToken" | "app" | "system" | "unknown";
                /**
                 * @description The `_id` of the API key, operator or program token, or the client id of the app.
                 * @example 01JB00000000000000AP1KEY00
                 */
                id: string;
            };
            /**
             * @description Commands of chairside-admin only: the person who ran it, as given.
             * @example j.doe
             */
            by?: string;
            /**
             * @description `ok`, or why no record was sent: `not_modified` or `headers` (a HEAD request).
             * @example ok
             */
            result: string;
            /**
             * @description The id of the request, as in `X-Request-Id`. For chairside-admin, the id of the run of the command.
             * @example 01JB00000000000000REQVEST0
             */
            requestId: string;
        };
        PatientSearch: {
            /**
             * @description Only rows of this clinic.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description Only the record with this `externalId`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description Only rows with this e-mail address, ignoring case.
             * @example test.patient@example.com
             */
            email?: string;
            /**
             * @description Only patients whose name has, for each of these words, a word that begins with it, or the same word if it has fewer than three letters. Of Chinese, Japanese and Korean characters, two are enough. Case, accents, apostrophes and ways to spell a letter such as `ü` and `ue` do not matter. At most 8 different words. An address is in the logs of proxies: `POST /api/patients/search` has the filters in its body.
             * @example Test Patient
             */
            name?: string;
            /**
             * @description Only patients who have this telephone number: the last eight digits are compared, or all if it has fewer, at least 6. Other characters and an extension are ignored. Search for several numbers one by one.
             * @example +1 202 555 0100
             */
            phone?: string;
            /**
             * @description Only records with these ids. Unknown ids are ignored.
             * @example [
             *       "01JB0000000000000000PAT1E0",
             *       "01JB0000000000000000PAT2E0"
             *     ]
             */
            _ids?: string[];
            /**
             * Format: date-time
             * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
             * @example 2030-01-31T00:00:00Z
             */
            updatedSince?: string;
            /**
             * Format: int32
             * @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows.
             * @example 100
             */
            limit?: number;
            /**
             * @description The `X-Next-Cursor` of the previous page. Send the same filters again.
             * @example AbC
             */
            cursor?: string;
            /**
             * @description Names of the fields to return. `_id` is always returned.
             * @example [
             *       "_id",
             *       "clinicId",
             *       "externalId"
             *     ]
             */
            fields?: ("_id" | "clinicId" | "externalId" | "name" | "email" | "phone" | "language" | "createdTime" | "lastEditTime")[];
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        PatientSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000000PAT1E0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description Full name.
             * @example Test Patient
             */
            name?: string;
            /**
             * Format: email
             * @description E-mail address. Searches ignore case; it is returned as it was sent.
             * @example test.patient@example.com
             */
            email?: string;
            /**
             * @description Telephone number.
             * @example +1 202 555 0100
             */
            phone?: string;
            /**
             * @description Language, such as a tag of BCP 47.
             * @example en
             */
            language?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            createdTime?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime?: string;
        };
        PatientUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * Format: date-time
             * @description Set by the server. It may be sent back and is ignored.
             */
            createdTime?: string;
            /**
             * Format: date-time
             * @description Set by the server. It may be sent back and is ignored.
             */
            lastEditTime?: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string | null;
            /**
             * @description Full name.
             * @example Test Patient
             */
            name?: string | null;
            /**
             * Format: email
             * @description E-mail address. Searches ignore case; it is returned as it was sent.
             * @example test.patient@example.com
             */
            email?: string | null;
            /**
             * @description Telephone number.
             * @example +1 202 555 0100
             */
            phone?: string | null;
            /**
             * @description Language, such as a tag of BCP 47.
             * @example en
             */
            language?: string | null;
        };
        /** @description A payment of a patient. */
        Payment: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PAYMENT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId: string;
            /**
             * @description The `_id` of the invoice.
             * @example 01JB00000000000000001NV010
             */
            invoiceId?: string;
            /**
             * @description Amount paid, in units of `currency`.
             * @example 120.5
             */
            amount: number;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * @description Method of payment.
             * @example CARD
             * @enum {string}
             */
            method: "CASH" | "CARD" | "BANK_TRANSFER" | "DIRECT_DEBIT" | "INSURANCE" | "VOUCHER" | "OTHER";
            /**
             * @description Status of the payment.
             * @example COMPLETED
             * @enum {string}
             */
            status: "PENDING" | "COMPLETED" | "FAILED" | "REFUNDED";
            /**
             * Format: date-time
             * @description When the payment was received.
             * @example 2030-01-31T09:30:00.000Z
             */
            paidTime?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            creationTime: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
        };
        /** @description An event of the log whose `data` is the payment as GET returned it at the time of the event; for a deletion, the deleted payment. */
        PaymentEvent: {
            /**
             * @description The event's id. It is the same in redeliveries; use it to detect duplicates.
             * @example 01JB000000000000000EVENT10
             */
            id: string;
            /**
             * @description Name of the event.
             * @example payment.created
             * @enum {string}
             */
            event: "payment.created" | "payment.updated" | "payment.refunded";
            /**
             * Format: int64
             * @description Time of the event, in Unix seconds.
             * @example 1896082200
             */
            timestamp: number;
            data: components["schemas"]["Payment"];
            origin: components["schemas"]["EventOrigin"];
            /**
             * @description The names of the fields that differ from the version before, without `lastEditTime`. Empty if none does. Only an event `payment.updated` has it.
             * @example [
             *       "phone"
             *     ]
             */
            changed?: string[];
            /** @description The `_id`s of the clinics whose subscriptions receive the event. */
            clinicIds: string[];
            /**
             * Format: date-time
             * @description When the event entered the log. `since` refers to this time.
             * @example 2030-01-31T09:30:00.250Z
             */
            loggedTime: string;
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        PaymentSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PAYMENT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string;
            /**
             * @description The `_id` of the invoice.
             * @example 01JB00000000000000001NV010
             */
            invoiceId?: string;
            /**
             * @description Amount paid, in units of `currency`.
             * @example 120.5
             */
            amount?: number;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * @description Method of payment.
             * @example CARD
             * @enum {string}
             */
            method?: "CASH" | "CARD" | "BANK_TRANSFER" | "DIRECT_DEBIT" | "INSURANCE" | "VOUCHER" | "OTHER";
            /**
             * @description Status of the payment.
             * @example COMPLETED
             * @enum {string}
             */
            status?: "PENDING" | "COMPLETED" | "FAILED" | "REFUNDED";
            /**
             * Format: date-time
             * @description When the payment was received.
             * @example 2030-01-31T09:30:00.000Z
             */
            paidTime?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            creationTime?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime?: string;
        };
        /** @description An entry of the price list. */
        Procedure: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PR0CED00
             */
            _id: string;
            /**
             * @description Name of the procedure.
             * @example Check-up
             */
            name: string;
            /**
             * @description Code of the procedure in the fee schedule of the country.
             * @example 2060
             */
            code?: string;
            /**
             * @description Decimal number, as a number or as text with a point. It is returned with the JSON type it was stored with.
             * @example 80.00
             */
            price?: number | string;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * Format: int32
             * @description Duration in minutes.
             * @example 30
             */
            durationMinutes: number;
            /**
             * @description Whether patients may book the procedure themselves.
             * @example true
             */
            bookable: boolean;
            /**
             * @description The clinics that offer the procedure; absent: all of them.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
        };
        ProcedureCreate: {
            /**
             * @description Name of the procedure.
             * @example Check-up
             */
            name: string;
            /**
             * Format: int32
             * @description Duration in minutes.
             * @example 30
             */
            durationMinutes: number;
            /**
             * @description Code of the procedure in the fee schedule of the country.
             * @example 2060
             */
            code?: string | null;
            /**
             * @description Decimal number, as a number or as text with a point. It is returned with the JSON type it was stored with.
             * @example 80.00
             */
            price?: number | string | null;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string | null;
            /**
             * @description Whether patients may book the procedure themselves.
             * @example true
             */
            bookable?: boolean;
            /**
             * @description The clinics that offer the procedure; absent: all of them.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[] | null;
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        ProcedureSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000PR0CED00
             */
            _id: string;
            /**
             * @description Name of the procedure.
             * @example Check-up
             */
            name?: string;
            /**
             * @description Code of the procedure in the fee schedule of the country.
             * @example 2060
             */
            code?: string;
            /**
             * @description Decimal number, as a number or as text with a point. It is returned with the JSON type it was stored with.
             * @example 80.00
             */
            price?: number | string;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * Format: int32
             * @description Duration in minutes.
             * @example 30
             */
            durationMinutes?: number;
            /**
             * @description Whether patients may book the procedure themselves.
             * @example true
             */
            bookable?: boolean;
            /**
             * @description The clinics that offer the procedure; absent: all of them.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
        };
        ProcedureUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * @description Name of the procedure.
             * @example Check-up
             */
            name?: string;
            /**
             * Format: int32
             * @description Duration in minutes.
             * @example 30
             */
            durationMinutes?: number;
            /**
             * @description Code of the procedure in the fee schedule of the country.
             * @example 2060
             */
            code?: string | null;
            /**
             * @description Decimal number, as a number or as text with a point. It is returned with the JSON type it was stored with.
             * @example 80.00
             */
            price?: number | string | null;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string | null;
            /**
             * @description Whether patients may book the procedure themselves.
             * @example true
             */
            bookable?: boolean;
            /**
             * @description The clinics that offer the procedure; absent: all of them.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[] | null;
        };
        /** @description An access token for a program, without the token itself. */
        ProgramToken: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000T0KEN000
             */
            _id: string;
            /**
             * @description The `_id` of the operator who created the token.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description The purpose of the token, in your own words.
             * @example Onboarding of clinics
             */
            name: string;
            /**
             * @description What the token may do. `webhooks`: manage subscriptions, send tests, list and repeat deliveries, and read clinics, statistics, the state of the service and the event log. It can read patient data in events.
             * @example webhooks
             * @enum {string}
             */
            access: "webhooks";
            /**
             * @description The clinics that the token is for. Subscriptions, deliveries, statistics and events of other clinics do not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: date-time
             * @description When the token was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the token was last used, to the minute. Absent if it was not used.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /**
             * Format: date-time
             * @description When the token ends at the latest. It ends earlier with the access of its operator, or when somebody ends it.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime: string;
        };
        ProgramTokenCreate: {
            /**
             * @description The purpose of the token, in your own words.
             * @example Onboarding of clinics
             */
            name: string;
            /**
             * Format: int32
             * @description The number of days after which the token ends. Default: `90`.
             * @example 90
             */
            lifetimeDays?: number;
            /**
             * @description What the token may do. `webhooks`: manage subscriptions, send tests, list and repeat deliveries, and read clinics, statistics, the state of the service and the event log. It can read patient data in events.
             * @example webhooks
             * @enum {string}
             */
            access: "webhooks";
            /**
             * @description The clinics that the token is for. Subscriptions, deliveries, statistics and events of other clinics do not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
        };
        /** @description A new access token for a program. */
        ProgramTokenWithSecret: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000000T0KEN000
             */
            _id: string;
            /**
             * @description The `_id` of the operator who created the token.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description The purpose of the token, in your own words.
             * @example Onboarding of clinics
             */
            name: string;
            /**
             * @description What the token may do. `webhooks`: manage subscriptions, send tests, list and repeat deliveries, and read clinics, statistics, the state of the service and the event log. It can read patient data in events.
             * @example webhooks
             * @enum {string}
             */
            access: "webhooks";
            /**
             * @description The clinics that the token is for. Subscriptions, deliveries, statistics and events of other clinics do not exist for it. Absent if it is for all clinics, also for those that are added later.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
            /**
             * Format: date-time
             * @description When the token was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the token was last used, to the minute. Absent if it was not used.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime?: string;
            /**
             * Format: date-time
             * @description When the token ends at the latest. It ends earlier with the access of its operator, or when somebody ends it.
             * @example 2030-05-01T09:30:00.000Z
             */
            expiryTime: string;
            /**
             * @description The token. No other response contains it. Programs send it in `Authorization: Token`.
             * @example chairside_program_0000000000000000000000000000000000000000000
             */
            token: string;
        };
        /** @description A person who treats patients. */
        Provider: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000PR0V1DER0
             */
            _id: string;
            /**
             * @description Display name.
             * @example Dr. Ines Albers
             */
            name: string;
            /**
             * @description The `_id`s of the clinics.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds: string[];
        };
        ProviderCreate: {
            /**
             * @description Display name.
             * @example Dr. Ines Albers
             */
            name: string;
            /**
             * @description The `_id`s of the clinics.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds: string[];
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        ProviderSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000PR0V1DER0
             */
            _id: string;
            /**
             * @description Display name.
             * @example Dr. Ines Albers
             */
            name?: string;
            /**
             * @description The `_id`s of the clinics.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
        };
        ProviderUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * @description Display name.
             * @example Dr. Ines Albers
             */
            name?: string;
            /**
             * @description The `_id`s of the clinics.
             * @example [
             *       "01JB0000000000000000CHN1C0"
             *     ]
             */
            clinicIds?: string[];
        };
        /** @description Recovery codes, if they were just made. */
        RecoveryCodes: {
            /**
             * @description The recovery codes that were made with the first factor. Each works once. No other response contains them.
             * @example [
             *       "abcd-efgh-ijkl-mnop"
             *     ]
             */
            recoveryCodes?: string[];
        };
        /** @description The state of the service for the organization. */
        ServiceStatus: {
            /**
             * Format: int64
             * @description The number of records of the organization with events that have no deliveries yet, at most 10000.
             * @example 0
             */
            eventsWaiting: number;
            /**
             * Format: int64
             * @description The number of queued deliveries of the organization, at most 10000.
             * @example 3
             */
            deliveriesWaiting: number;
            /**
             * @description The age of the oldest of these events and deliveries, in seconds. 0 if nothing waits.
             * @example 1.5
             */
            oldestAge: number;
            /**
             * @description Whether everything that waits was counted. If not, more may wait, and the oldest may be older. This happens while very much waits in the organization or in the whole service.
             * @example true
             */
            complete: boolean;
            /**
             * @description Whether a process of the service declares an outage of the service: it reaches no receiver. Deliveries then wait, and no subscription is disabled.
             * @example false
             */
            outage: boolean;
            /**
             * @description What the service does with deliveries: `send`; `hold`: the operator of the service holds them, and they wait; `off`: they are skipped, because this is a copy for tests.
             * @example send
             * @enum {string}
             */
            outbound: "send" | "hold" | "off";
            /**
             * Format: date-time
             * @description When the outage was declared. Absent without an outage.
             * @example 2030-01-31T09:30:00.000Z
             */
            outageTime?: string;
        };
        /** @description A session of a signed-in operator. */
        Session: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000SESS10N00
             */
            _id: string;
            /**
             * @description The `_id` of the operator.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description E-mail address of the operator. Only the current session has it.
             * @example operator@example.com
             */
            email?: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role: "administrator" | "staff";
            /**
             * Format: date-time
             * @description When the session began.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the session was last used, to the minute.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime: string;
            /**
             * Format: date-time
             * @description When the password was last entered in this session.
             * @example 2030-01-31T09:30:00.000Z
             */
            confirmedTime: string;
            /**
             * Format: date-time
             * @description When the session ends at the latest. It ends earlier if it is not used for 60 minutes.
             * @example 2030-01-31T21:30:00.000Z
             */
            expiryTime: string;
            /**
             * @description The address from which the operator signed in.
             * @example 203.0.113.7
             */
            address?: string;
            /**
             * @description The `User-Agent` of the sign-in, at most 200 characters.
             * @example Mozilla/5.0
             */
            userAgent?: string;
        };
        SignIn: {
            /**
             * Format: email
             * @description E-mail address of the operator.
             * @example operator@example.com
             */
            email: string;
            /**
             * @description The password.
             * @example correct horse battery
             */
            password: string;
        };
        /** @description A new session with its access token. */
        SignedIn: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB0000000000000SESS10N00
             */
            _id: string;
            /**
             * @description The `_id` of the operator.
             * @example 01JB00000000000000PERAT0R0
             */
            operatorId: string;
            /**
             * @description E-mail address of the operator. Only the current session has it.
             * @example operator@example.com
             */
            email?: string;
            /**
             * @description Role of the operator.
             * @example staff
             * @enum {string}
             */
            role: "administrator" | "staff";
            /**
             * Format: date-time
             * @description When the session began.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the session was last used, to the minute.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastUsedTime: string;
            /**
             * Format: date-time
             * @description When the password was last entered in this session.
             * @example 2030-01-31T09:30:00.000Z
             */
            confirmedTime: string;
            /**
             * Format: date-time
             * @description When the session ends at the latest. It ends earlier if it is not used for 60 minutes.
             * @example 2030-01-31T21:30:00.000Z
             */
            expiryTime: string;
            /**
             * @description The address from which the operator signed in.
             * @example 203.0.113.7
             */
            address?: string;
            /**
             * @description The `User-Agent` of the sign-in, at most 200 characters.
             * @example Mozilla/5.0
             */
            userAgent?: string;
            /**
             * @description The access token. No other response contains it.
             * @example chairside_token_0000000000000000000000000000000000000000000
             */
            token: string;
        };
        /** @description The data of a test event: the subscription that it tests. */
        TestPing: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB000000000000SVBSCR1PT0
             */
            subscriptionId: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
        };
        /** @description One procedure at one place in a patient's mouth. */
        Treatment: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB000000000000TREATMENT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId: string;
            /**
             * @description The `_id` of the appointment.
             * @example 01JB00000000000000APP01NT0
             */
            appointmentId?: string;
            /**
             * @description The `_id` of the provider of the treatment.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string;
            /**
             * @description The `_id` of the procedure in the price list of the practice.
             * @example 01JB00000000000000PR0CED00
             */
            procedureId: string;
            /**
             * @description Code of the procedure in the fee schedule of the country.
             * @example 2060
             */
            procedureCode?: string;
            /**
             * @description Name of the procedure.
             * @example Filling
             */
            name: string;
            /** @description Teeth in the two-digit notation of ISO 3950 (FDI). */
            teeth: string[];
            /**
             * @description Surfaces of the teeth: mesial, occlusal, incisal, buccal, distal, facial, lingual, palatal.
             * @example [
             *       "O"
             *     ]
             */
            surfaces: ("M" | "O" | "I" | "B" | "D" | "F" | "L" | "P")[];
            /**
             * @description Status of the treatment.
             * @example COMPLETED
             * @enum {string}
             */
            status: "PLANNED" | "IN_PROGRESS" | "COMPLETED" | "CANCELED";
            /**
             * @description Clinical notes.
             * @example No complications.
             */
            notes?: string;
            /**
             * @description Decimal amount. It is returned with the JSON type it was stored with.
             * @example 80.00
             */
            price: number | string;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency: string;
            /**
             * Format: date-time
             * @description When the treatment was performed.
             * @example 2030-01-31T09:30:00.000Z
             */
            performedTime?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            creationTime: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime: string;
        };
        /** @description A row of a list with `fields`: the selected fields and `_id`. */
        TreatmentSelection: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB000000000000TREATMENT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The id that the record has in your own system: unique for the kind of record, and never a name. Two systems that count from 1 write `system:id`.
             * @example pms:4711
             */
            externalId?: string;
            /**
             * @description The `_id` of the patient.
             * @example 01JB0000000000000000PAT1E0
             */
            patientId?: string;
            /**
             * @description The `_id` of the appointment.
             * @example 01JB00000000000000APP01NT0
             */
            appointmentId?: string;
            /**
             * @description The `_id` of the provider of the treatment.
             * @example 01JB0000000000000PR0V1DER0
             */
            providerId?: string;
            /**
             * @description The `_id` of the procedure in the price list of the practice.
             * @example 01JB00000000000000PR0CED00
             */
            procedureId?: string;
            /**
             * @description Code of the procedure in the fee schedule of the country.
             * @example 2060
             */
            procedureCode?: string;
            /**
             * @description Name of the procedure.
             * @example Filling
             */
            name?: string;
            /** @description Teeth in the two-digit notation of ISO 3950 (FDI). */
            teeth?: string[];
            /**
             * @description Surfaces of the teeth: mesial, occlusal, incisal, buccal, distal, facial, lingual, palatal.
             * @example [
             *       "O"
             *     ]
             */
            surfaces?: ("M" | "O" | "I" | "B" | "D" | "F" | "L" | "P")[];
            /**
             * @description Status of the treatment.
             * @example COMPLETED
             * @enum {string}
             */
            status?: "PLANNED" | "IN_PROGRESS" | "COMPLETED" | "CANCELED";
            /**
             * @description Clinical notes.
             * @example No complications.
             */
            notes?: string;
            /**
             * @description Decimal amount. It is returned with the JSON type it was stored with.
             * @example 80.00
             */
            price?: number | string;
            /**
             * @description Currency, ISO 4217.
             * @example EUR
             */
            currency?: string;
            /**
             * Format: date-time
             * @description When the treatment was performed.
             * @example 2030-01-31T09:30:00.000Z
             */
            performedTime?: string;
            /**
             * Format: date-time
             * @description When the record was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            creationTime?: string;
            /**
             * Format: date-time
             * @description Time of the last change. It is always later than that of the previous version.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastEditTime?: string;
        };
        /** @description One event for one subscription, with at most one attempt. */
        WebhookDelivery: {
            /**
             * @description Identifier, the same as the header `X-Service-Delivery-Id`.
             * @example 01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0
             */
            _id: string;
            /**
             * @description The `_id` of the subscription.
             * @example 01JB000000000000SVBSCR1PT0
             */
            subscriptionId: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The `_id` of the event.
             * @example 01JB000000000000000EVENT10
             */
            eventId: string;
            /**
             * @description Name of the event.
             * @example patient.created
             * @enum {string}
             */
            event: "patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded" | "test.ping";
            /** @description The id of the request that wrote the record, as in `X-Request-Id`. Absent for tests and redeliveries. */
            requestId?: string;
            /**
             * @description `event`: the regular delivery of an event. `redelivery` and `test`: requested by an operator; their failures do not count towards the 20 that disable the subscription.
             * @example event
             * @enum {string}
             */
            kind: "event" | "redelivery" | "test";
            /**
             * @description The outcome. `queued` and `sending` are not final. `interrupted`: it is unknown whether the event arrived.
             * @example failed
             * @enum {string}
             */
            outcome: "queued" | "sending" | "succeeded" | "failed" | "skipped" | "interrupted";
            /**
             * @description The cause of the outcome `failed` or `skipped`. `configuration`: nothing was sent, because the stored URL, secret or headers of the subscription cannot be used; `reason` names which of them.
             * @example status
             * @enum {string}
             */
            cause?: "dns" | "connect" | "tls" | "timeout" | "reset" | "status" | "redirect" | "blocked_address" | "protocol" | "configuration" | "subscription_disabled" | "subscription_gone" | "event_gone" | "event_unreadable" | "outbound_off";
            /**
             * @description The cause as a sentence for people. The wording may change.
             * @example The receiver responded with status 500.
             */
            reason?: string;
            /** @description The code of the error behind `dns`, `connect`, `tls`, `reset` or `protocol`, as Node.js or OpenSSL reports it, for example `ECONNREFUSED` or `CERT_HAS_EXPIRED`. */
            code?: string;
            /**
             * Format: int64
             * @description Status code of the receiver's response.
             * @example 500
             */
            statusCode?: number;
            /**
             * @description The IP address that the service connected to, or tried last. Absent if the attempt ended before a connection was tried, and for the cause `blocked_address`.
             * @example 203.0.113.10
             */
            address?: string;
            /**
             * @description Milliseconds from the start of the attempt to the status line or the failure.
             * @example 12.5
             */
            duration?: number;
            /** @description Duration of each phase of the attempt, in milliseconds. A phase that did not take place is absent. */
            timings?: {
                /**
                 * @description Name lookup.
                 * @example 12.5
                 */
                lookup?: number;
                /**
                 * @description TCP connection.
                 * @example 12.5
                 */
                connect?: number;
                /**
                 * @description TLS handshake.
                 * @example 12.5
                 */
                tls?: number;
                /**
                 * @description Time from the open connection to the status line, or to the failure.
                 * @example 12.5
                 */
                firstByte?: number;
            };
            /** @description The beginning of the response body, at most 4096 bytes. If the subscription has fixed headers, which the response may repeat, only a code such as `mismatch`. Only in the response to a request for one delivery. */
            responseBody?: string;
            /**
             * @description Present if `responseBody` is not the whole body: it is longer, the receiver took more than a second to send it, or the connection broke. Only in the response to a request for one delivery.
             * @constant
             */
            responseBodyTruncated?: true;
            /**
             * @description Headers of the response, each up to 256 characters. Of `location`, origin and path are kept, with `?…` instead of a query or fragment; of `www-authenticate`, the scheme. Absent if no response came, or if the subscription has fixed headers. Only in the response to a request for one delivery.
             * @example {
             *       "content-type": "text/plain",
             *       "content-length": "5"
             *     }
             */
            responseHeaders?: {
                "content-type"?: string;
                "content-length"?: string;
                date?: string;
                "retry-after"?: string;
                server?: string;
                location?: string;
                "www-authenticate"?: string;
            };
            /**
             * @description The URL to which the event was sent. Absent if there was no attempt.
             * @example https://example.com/webhooks
             */
            url?: string;
            /**
             * @description What `data` of the sent body had: `full` or `ids`, as the subscription said when the attempt began. Absent if there was no attempt, or if its outcome is unknown (`interrupted`).
             * @example full
             * @enum {string}
             */
            payload?: "full" | "ids";
            /** @description The process that made the attempt. */
            worker?: string;
            /** @description The `_id` of the delivery that this redelivery repeats. */
            redeliveryOf?: string;
            /** @description The later redeliveries of the same event to the same subscription, the newest first, at most 20. Only in the response to a request for one delivery. */
            redeliveries?: {
                /**
                 * @description The redelivery.
                 * @example 01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0
                 */
                _id: string;
                /**
                 * @description Its outcome.
                 * @example succeeded
                 * @enum {string}
                 */
                outcome: "queued" | "sending" | "succeeded" | "failed" | "skipped" | "interrupted";
                /**
                 * Format: date-time
                 * @description When it was created.
                 * @example 2030-01-31T09:30:00.000Z
                 */
                createdTime: string;
            }[];
            /**
             * Format: date-time
             * @description When the delivery was created.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the attempt began.
             * @example 2030-01-31T09:30:00.000Z
             */
            attemptTime?: string;
            /**
             * Format: date-time
             * @description When the delivery became final.
             * @example 2030-01-31T09:30:00.000Z
             */
            finalTime?: string;
        };
        /** @description The progress of a bulk redelivery. */
        WebhookRedelivery: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB00000000000REDEL1VERY0
             */
            _id: string;
            /**
             * @description The `_id` of the subscription.
             * @example 01JB000000000000SVBSCR1PT0
             */
            subscriptionId: string;
            /**
             * Format: date-time
             * @description Deliveries created at this time or later.
             * @example 2030-01-31T09:30:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description Deliveries created before this time. Default: now.
             * @example 2030-02-01T00:00:00.000Z
             */
            until: string;
            /**
             * @description Outcome of the deliveries.
             * @example [
             *       "failed",
             *       "interrupted",
             *       "skipped"
             *     ]
             */
            outcomes: ("failed" | "interrupted" | "skipped" | "succeeded")[];
            /**
             * @description With `true`, leaves out deliveries that succeeded, and those of which a later redelivery has succeeded.
             * @example true
             */
            unrepaired?: boolean;
            /**
             * @description `running` until all selected deliveries of the period have been redelivered, then `done`. `stopped` if an administrator has stopped it.
             * @example done
             * @enum {string}
             */
            state: "running" | "done" | "stopped";
            /**
             * Format: int64
             * @description The number of deliveries created so far.
             * @example 12
             */
            made: number;
            /**
             * Format: int64
             * @description Of the deliveries created so far, those that are not final.
             * @example 0
             */
            waiting: number;
            /**
             * Format: int64
             * @description Of the deliveries created so far, those that succeeded.
             * @example 12
             */
            succeeded: number;
            /**
             * Format: int64
             * @description Of the deliveries created so far, those that failed, were interrupted or were skipped.
             * @example 0
             */
            failed: number;
            /**
             * Format: int64
             * @description The number of deliveries that cannot be redelivered, because their event is no longer stored.
             * @example 0
             */
            gone: number;
            /**
             * Format: date-time
             * @description When the redelivery was requested.
             * @example 2030-01-31T09:30:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When the redelivery was done or stopped.
             * @example 2030-01-31T09:30:02.000Z
             */
            finalTime?: string;
        };
        WebhookRedeliveryCreate: {
            /**
             * Format: date-time
             * @description Deliveries created at this time or later.
             * @example 2030-01-31T09:30:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description Deliveries created before this time. Default: now.
             * @example 2030-02-01T00:00:00.000Z
             */
            until?: string;
            /**
             * @description Outcome of the deliveries. Default: `["failed","interrupted","skipped"]`.
             * @example [
             *       "failed",
             *       "interrupted",
             *       "skipped"
             *     ]
             */
            outcomes?: ("failed" | "interrupted" | "skipped" | "succeeded")[];
            /**
             * @description With `true`, leaves out deliveries that succeeded, and those of which a later redelivery has succeeded.
             * @example true
             */
            unrepaired?: boolean;
        };
        /** @description The deliveries of kind `event` of one subscription that became final in one hour, by outcome and duration. */
        WebhookStatisticsRow: {
            /**
             * Format: date-time
             * @description The beginning of the hour.
             * @example 2030-01-31T09:00:00.000Z
             */
            hour: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The `_id` of the subscription.
             * @example 01JB000000000000SVBSCR1PT0
             */
            subscriptionId: string;
            /**
             * Format: int64
             * @description Deliveries with the outcome `succeeded`.
             * @example 1
             */
            succeeded: number;
            /**
             * Format: int64
             * @description Deliveries with the outcome `failed`.
             * @example 1
             */
            failed: number;
            /**
             * Format: int64
             * @description Deliveries with the outcome `skipped`.
             * @example 1
             */
            skipped: number;
            /**
             * Format: int64
             * @description Deliveries with the outcome `interrupted`.
             * @example 1
             */
            interrupted: number;
            /**
             * @description The deliveries with a `cause`, by cause. Causes without deliveries are absent.
             * @example {
             *       "timeout": 1
             *     }
             */
            causes: {
                [key: string]: number;
            };
            /**
             * @description The attempts by duration: the number of attempts that took at most 1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000 ms and longer than the bound before, then the number of longer attempts. To merge hours, add up the numbers of each place.
             * @example [
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       1,
             *       1,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0,
             *       0
             *     ]
             */
            durations: number[];
            /**
             * @description Whether the hour is closed. If not, the row counts only deliveries among the newest 10,000 of the organization, or of the subscription that the request names. An hour is closed five minutes after its end. It can still change if an outcome becomes known later.
             * @example true
             */
            complete: boolean;
        };
        /** @description A subscription to the events of a clinic, without its secret. */
        WebhookSubscription: {
            /**
             * @description Identifier, created by the server. It is opaque and never reused.
             * @example 01JB000000000000SVBSCR1PT0
             */
            _id: string;
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The URL of the receiver, to which events are sent with POST. It must be an absolute `https` URL without credentials and without a fragment. Its address must not be private. It is stored and returned in normal form: `HTTPS://Example.com:443` becomes `https://example.com/`.
             * @example https://example.com/webhooks
             */
            url: string;
            /**
             * @description The events that the subscription receives. A family such as `patient.*` stands for all its events. An empty array stands for all events.
             * @example [
             *       "patient.*",
             *       "appointment.created"
             *     ]
             */
            events: ("patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded" | "patient.*" | "appointment.*" | "invoice.*" | "payment.*")[];
            /**
             * @description What `data` of each webhook has. `full`: the record. `ids`: only its `_id`, `clinicId` and `lastEditTime`, and `patientId`, `appointmentId`, `invoiceId` and `externalId`, where the record has them; read the rest with `GET`. It takes effect within a second, for redeliveries, too.
             * @example full
             * @enum {string}
             */
            payload: "full" | "ids";
            /**
             * @description Fixed headers of each request to the receiver, such as `Authorization`: names and values, at most 10. The values are stored encrypted. Responses show `********` instead of each.
             * @example {
             *       "Authorization": "********"
             *     }
             */
            headers: {
                [key: string]: string;
            };
            /**
             * @description Whether the subscription is enabled. 20 failures in a row disable it.
             * @example true
             */
            active: boolean;
            /**
             * Format: date-time
             * @description When the subscription was created.
             * @example 2030-01-15T08:00:00.000Z
             */
            createdTime: string;
            /**
             * Format: date-time
             * @description When an operator last edited the subscription.
             * @example 2030-01-15T08:00:00.000Z
             */
            lastEditTime: string;
            /**
             * @description The state, from the attempts of every kind. `new`: no attempt in the last 30 days, or a replacement that has not been switched to. `healthy`: the last attempt succeeded. `failing`: it failed. `slowed`: from 5 failures in a row on, one attempt at a time is made, with pauses. `recovering`: the last attempt succeeded after failures, and events still wait. `disabled`: 20 failures in a row have disabled it. `off`: an operator has disabled it. `replaced`: another subscription gets its events.
             * @example healthy
             * @enum {string}
             */
            state: "new" | "healthy" | "failing" | "slowed" | "recovering" | "disabled" | "off" | "replaced";
            /**
             * @description Why deliveries wait, whatever the state. `host_blocked`: the operator of the service has blocked the host of the URL. Nothing is lost, and waiting counts as no failure.
             * @example host_blocked
             * @enum {string}
             */
            withheld?: "host_blocked";
            /**
             * Format: date-time
             * @description While the subscription is slowed down: when the next event is sent at the earliest.
             */
            nextAttemptTime?: string;
            /**
             * Format: int64
             * @description The number of failed deliveries since the last success. At 20, the subscription is disabled.
             * @example 0
             */
            consecutiveFailures: number;
            /**
             * Format: date-time
             * @description When the subscription was disabled or replaced.
             */
            disabledTime?: string;
            /** @description Why the subscription was disabled, with the last causes of failure. */
            disabledReason?: string;
            /** @description The subscription that this one replaces, or will replace once it is active. */
            replaces?: string;
            /** @description The subscription that gets the events of this one, because it has replaced it. */
            replacedBy?: string;
            /**
             * Format: date-time
             * @description When the last attempt was made.
             * @example 2030-01-31T09:30:00.000Z
             */
            lastDeliveryTime?: string;
            /**
             * Format: int64
             * @description Status code of the response to the last attempt.
             * @example 204
             */
            lastStatusCode?: number;
        };
        WebhookSubscriptionCreate: {
            /**
             * @description The `_id` of the clinic that the record belongs to.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId: string;
            /**
             * @description The URL of the receiver, to which events are sent with POST. It must be an absolute `https` URL without credentials and without a fragment. Its address must not be private. It is stored and returned in normal form: `HTTPS://Example.com:443` becomes `https://example.com/`.
             * @example https://example.com/webhooks
             */
            url: string;
            /**
             * @description The events that the subscription receives. A family such as `patient.*` stands for all its events. An empty array stands for all events. Default: `[]`.
             * @example [
             *       "patient.*",
             *       "appointment.created"
             *     ]
             */
            events?: ("patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded" | "patient.*" | "appointment.*" | "invoice.*" | "payment.*")[];
            /**
             * @description What `data` of each webhook has. `full`: the record. `ids`: only its `_id`, `clinicId` and `lastEditTime`, and `patientId`, `appointmentId`, `invoiceId` and `externalId`, where the record has them; read the rest with `GET`. It takes effect within a second, for redeliveries, too. Default: `"full"`.
             * @example full
             * @enum {string}
             */
            payload?: "full" | "ids";
            /**
             * @description Fixed headers of each request to the receiver, such as `Authorization`: names and values, at most 10. The values are stored encrypted. Responses show `********` instead of each. Refused are `Content-*`, `User-Agent`, `X-Service-*`, `webhook-*`, `Host` and the headers of the connection. While a subscription has any, only the status and a code of its responses are kept. Default: `{}`.
             * @example {
             *       "Authorization": "Bearer of-the-receiver"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether the subscription is enabled. 20 failures in a row disable it. Default: `true`.
             * @example true
             */
            active?: boolean;
        };
        /** @description A subscription with a new secret that is to replace another. */
        WebhookSubscriptionReplacement: {
            /**
             * @description The `_id` of the subscription that the new one is to replace.
             * @example 01JB000000000000SVBSCR1PT0
             */
            replaces: string;
            /**
             * @description May be sent, if it is that of the replaced subscription.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description By default, that of the replaced subscription.
             * @example https://example.com/webhooks
             */
            url?: string;
            /**
             * @description By default, those of the replaced subscription.
             * @example [
             *       "patient.*",
             *       "appointment.created"
             *     ]
             */
            events?: ("patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded" | "patient.*" | "appointment.*" | "invoice.*" | "payment.*")[];
            /**
             * @description By default, that of the replaced subscription.
             * @example full
             * @enum {string}
             */
            payload?: "full" | "ids";
            /**
             * @description Fixed headers of each request. By default, those of the replaced subscription, if the URL has the same origin. A header that is sent with `********` keeps its value; `{}` removes all. A URL of another origin (scheme, host, port) loses them, unless they are sent in the same request with their values.
             * @example {
             *       "Authorization": "Bearer of-the-receiver"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description A replacement is enabled later, with `PUT`.
             * @constant
             */
            active?: false;
        };
        WebhookSubscriptionUpdate: {
            /** @description Optional. It must be the `_id` of the record. */
            _id?: string;
            /**
             * @description Cannot be changed. It may be sent back with its present value.
             * @example 01JB0000000000000000CHN1C0
             */
            clinicId?: string;
            /**
             * @description The URL of the receiver, to which events are sent with POST. It must be an absolute `https` URL without credentials and without a fragment. Its address must not be private. It is stored and returned in normal form: `HTTPS://Example.com:443` becomes `https://example.com/`.
             * @example https://example.com/webhooks
             */
            url?: string;
            /**
             * @description The events that the subscription receives. A family such as `patient.*` stands for all its events. An empty array stands for all events.
             * @example [
             *       "patient.*",
             *       "appointment.created"
             *     ]
             */
            events?: ("patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded" | "patient.*" | "appointment.*" | "invoice.*" | "payment.*")[];
            /**
             * @description What `data` of each webhook has. `full`: the record. `ids`: only its `_id`, `clinicId` and `lastEditTime`, and `patientId`, `appointmentId`, `invoiceId` and `externalId`, where the record has them; read the rest with `GET`. It takes effect within a second, for redeliveries, too.
             * @example full
             * @enum {string}
             */
            payload?: "full" | "ids";
            /**
             * @description Fixed headers of each request. A header that is sent with `********` keeps its value; `{}` removes all. A URL of another origin (scheme, host, port) loses them, unless they are sent in the same request with their values.
             * @example {
             *       "Authorization": "Bearer of-the-receiver"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether the subscription is enabled. 20 failures in a row disable it.
             * @example true
             */
            active?: boolean;
            /** @description Set by the server. It may be sent back and is ignored. */
            createdTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastEditTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            state?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            withheld?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            nextAttemptTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            consecutiveFailures?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            disabledTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            disabledReason?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastDeliveryTime?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            lastStatusCode?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            replaces?: unknown;
            /** @description Set by the server. It may be sent back and is ignored. */
            replacedBy?: unknown;
        };
        /** @description The result of a write in a batch. */
        WriteResult: {
            /**
             * Format: int64
             * @description The status that the single call would have.
             * @example 200
             */
            status: number;
            /** @description The record that was written, or read if nothing has changed. */
            _id?: string;
            /** @description Whether the write has created the record. */
            created?: boolean;
            /** @description Whether the write has changed something, and sent an event. */
            changed?: boolean;
            /** @description The record, like the response of the single call. */
            record?: components["schemas"]["Patient"] | components["schemas"]["Appointment"];
            /** @description The error that the single call would respond with. */
            error?: components["schemas"]["Error"];
            /**
             * Format: int64
             * @description The number of seconds after which the write may be sent again: the header `Retry-After`.
             */
            retryAfter?: number;
        };
    };
    responses: {
        /** @description The body, the query, the path or a header is not valid. `details.issues` lists up to 100 issues; `details.moreIssues` is the number of further issues. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Credentials are missing or not valid. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key lacks the required scope. */
        ForbiddenScope: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The caller is not an operator with the required role, or the operator must first confirm or change the password. */
        ForbiddenRole: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request has the header `X-Proxy-Secret` with a wrong secret. */
        ForbiddenProxy: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The record does not exist or belongs to another organization. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request did not arrive in time. The connection is closed. */
        RequestTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The request conflicts with the current state. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Events after `since` or `cursor` have expired from the log. */
        LogExpired: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The record has changed: `If-Match` does not contain its present version, or `If-None-Match: *` was sent and it exists. */
        PreconditionFailed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large. */
        PayloadTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body must be `application/json` in UTF-8, without a `Content-Encoding`. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A rate limit or another limit of the caller is exceeded. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An internal error of the service. */
        InternalServerError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The database is unreachable or overloaded, too many requests change the record at once, or the process has reached another limit. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                RateLimit: components["headers"]["RateLimit"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        /**
         * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
         * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
         */
        "Idempotency-Key": string;
        /**
         * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
         * @example "3"
         */
        "If-Match": string;
        /**
         * @description `*` refuses the change with 412 if the record exists already. It cannot be sent together with `If-Match`.
         * @example *
         */
        "If-None-Match-Any": string;
        /**
         * @description Returns 304 if the record still has this version.
         * @example "3"
         */
        "If-None-Match": string;
        /**
         * @description The same as `event` in the body.
         * @example patient.created
         */
        "X-Service-Event": string;
        /**
         * @description The same as `id` in the body. The header is not signed, the body is.
         * @example 01JB000000000000000EVENT10
         */
        "X-Service-Event-Id": string;
        /**
         * @description The id of the delivery. Quote it when you report a problem.
         * @example 01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0
         */
        "X-Service-Delivery-Id": string;
        /**
         * @description The id of the subscription. Choose the secret by it, if several subscriptions share a URL.
         * @example 01JB000000000000SVBSCR1PT0
         */
        "X-Service-Subscription-Id": string;
        /**
         * @description `t=<Unix seconds>,v1=<hex>`: HMAC-SHA256 over `<t>.<raw body>`. The key is the whole secret of the subscription.
         * @example t=1896082201,v1=0000000000000000000000000000000000000000000000000000000000000000
         */
        "X-Service-Signature": string;
        /**
         * @description The same as `X-Service-Event-Id`.
         * @example 01JB000000000000000EVENT10
         */
        "webhook-id": string;
        /**
         * @description The same as `t` of `X-Service-Signature`.
         * @example 1896082201
         */
        "webhook-timestamp": string;
        /**
         * @description `v1,<base64>`: HMAC-SHA256 over `<webhook-id>.<webhook-timestamp>.<raw body>` (Standard Webhooks). The key is the 24 bytes that the secret has after `whsec_`.
         * @example v1,0000000000000000000000000000000000000000000=
         */
        "webhook-signature": string;
    };
    requestBodies: never;
    headers: {
        /**
         * @description The id of the request. Quote it when you report a problem.
         * @example 01JB00000000000REQVEST1D00
         */
        "X-Request-Id": string;
        /**
         * @description The requests (`q`) that the API key or access token may make in a window (`w`, in seconds). The responses of writes also have `"event-bytes"`: the bytes that the events of the organization may have.
         * @example "key";q=600;w=60, "event-bytes";q=67108864;w=60;qu="content-bytes"
         */
        "RateLimit-Policy": string;
        /**
         * @description The remaining quota of each policy (`r`), and the seconds until the window ends (`t`).
         * @example "key";r=598;t=41, "event-bytes";r=66934211;t=41
         */
        RateLimit: string;
        /**
         * @description Seconds to wait before a retry.
         * @example 2
         */
        "Retry-After": number;
        /**
         * @description The two authentication schemes.
         * @example Basic realm="Chairside API key", charset="UTF-8", Token realm="Chairside operator"
         */
        "WWW-Authenticate": string;
        /**
         * @description The version of the record, for `If-Match` and `If-None-Match`.
         * @example "3"
         */
        ETag: string;
        /**
         * @description The request is a retry. The response contains the result of the first request.
         * @example true
         */
        "Idempotent-Replayed": "true";
        /**
         * @description Whether the request has created the record.
         * @example false
         */
        "X-Record-Created": string;
        /**
         * @description Whether the request has written something, and sent an event. A created record is changed, too.
         * @example true
         */
        "X-Record-Changed": string;
        /**
         * @description The URL of the next page. Absent on the last page.
         * @example </api/patients?limit=100&cursor=AbC>; rel="next"
         */
        Link: string;
        /**
         * @description The `cursor` of the next page. Absent on the last page.
         * @example AbC
         */
        "X-Next-Cursor": string;
        /**
         * @description The `cursor` with which a later request continues after this page, the last page included. Send it with `order=asc` and the same `clinicId`, `event` and `recordId`.
         * @example AbC
         */
        "X-Resume-Cursor": string;
    };
    pathItems: never;
}
export interface operations {
    getLiveness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "1.4.0",
                     *       "commit": "5f1c2c0e8f0f6c9d9e1d3b0a7c4b2a1908f7e6d5",
                     *       "builtTime": "2030-01-31T00:00:00.000Z"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description `degraded`: Redis is unreachable or refuses to store data. The api serves all requests, but webhooks arrive some seconds later.
                         * @example ok
                         * @constant
                         */
                        status: "ok";
                        /**
                         * @description The version of the service.
                         * @example 1.4.0
                         */
                        version: string;
                        /**
                         * @description The commit that the service was built from; `source` if it runs from its sources.
                         * @example 5f1c2c0e8f0f6c9d9e1d3b0a7c4b2a1908f7e6d5
                         */
                        commit: string;
                        /**
                         * @description When the service was built; `source` if it runs from its sources.
                         * @example 2030-01-31T00:00:00.000Z
                         */
                        builtTime: string;
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": {
                        /**
                         * @description `degraded`: Redis is unreachable or refuses to store data. The api serves all requests, but webhooks arrive some seconds later.
                         * @example ok
                         * @enum {string}
                         */
                        status: "ok" | "degraded";
                    };
                };
            };
            400: components["responses"]["BadRequest"];
            403: components["responses"]["ForbiddenProxy"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listSessions: {
        parameters: {
            query?: {
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000SESS10N00",
                     *         "operatorId": "01JB00000000000000PERAT0R0",
                     *         "email": "operator@example.com",
                     *         "role": "staff",
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *         "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *         "expiryTime": "2030-01-31T21:30:00.000Z",
                     *         "address": "203.0.113.7",
                     *         "userAgent": "Mozilla/5.0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "operator@example.com",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["SignIn"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0",
                     *       "token": "chairside_token_0000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenProxy"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    answerChallenge: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "challenge": "0000000000000000000000000000000000000000000",
                 *       "code": "123456",
                 *       "recoveryCode": "abcd-efgh-ijkl-mnop",
                 *       "assertion": {
                 *         "id": "AQID",
                 *         "rawId": "AQID",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "AQID",
                 *           "authenticatorData": "AQID",
                 *           "signature": "AQID",
                 *           "userHandle": "AQID"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChallengeAnswer"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0",
                     *       "token": "chairside_token_0000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenProxy"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    beginPasskeySignIn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "challenge": "0000000000000000000000000000000000000000000",
                     *       "options": {}
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyChallenge"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCurrentSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0",
                     *       "name": "Ada Byron",
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "factorRequired": false,
                     *       "organization": {
                     *         "name": "Practice East"
                     *       },
                     *       "mail": true
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentSession"] | components["schemas"]["CurrentProgramToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    signOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    confirmPassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery",
                 *       "for": "factors",
                 *       "challenge": "0000000000000000000000000000000000000000000",
                 *       "code": "123456",
                 *       "recoveryCode": "abcd-efgh-ijkl-mnop",
                 *       "assertion": {
                 *         "id": "AQID",
                 *         "rawId": "AQID",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "AQID",
                 *           "authenticatorData": "AQID",
                 *           "signature": "AQID",
                 *           "userHandle": "AQID"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["Confirmation"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    changePassword: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery",
                 *       "newPassword": "staple of the horse",
                 *       "challenge": "0000000000000000000000000000000000000000000",
                 *       "code": "123456",
                 *       "recoveryCode": "abcd-efgh-ijkl-mnop",
                 *       "assertion": {
                 *         "id": "AQID",
                 *         "rawId": "AQID",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "AQID",
                 *           "authenticatorData": "AQID",
                 *           "signature": "AQID",
                 *           "userHandle": "AQID"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PasswordChange"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the session.
                 * @example 01JB0000000000000000000000
                 */
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000SESS10N00",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-01-31T21:30:00.000Z",
                     *       "address": "203.0.113.7",
                     *       "userAgent": "Mozilla/5.0"
                     *     }
                     */
                    "application/json": components["schemas"]["Session"] | components["schemas"]["ProgramToken"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProgramTokens: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000T0KEN000",
                     *         "operatorId": "01JB00000000000000PERAT0R0",
                     *         "name": "Onboarding of clinics",
                     *         "access": "webhooks",
                     *         "clinicIds": [
                     *           "01JB0000000000000000CHN1C0"
                     *         ],
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *         "expiryTime": "2030-05-01T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ProgramToken"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProgramToken: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Onboarding of clinics",
                 *       "lifetimeDays": 90,
                 *       "access": "webhooks",
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProgramTokenCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000T0KEN000",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "name": "Onboarding of clinics",
                     *       "access": "webhooks",
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-05-01T09:30:00.000Z",
                     *       "token": "chairside_program_0000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["ProgramTokenWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    beginCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
                     *       "uri": "otpauth://totp/Chairside:operator%40example.com?issuer=Chairside&secret=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
                     *     }
                     */
                    "application/json": components["schemas"]["NewCode"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removeCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passkeys": [
                     *         {
                     *           "_id": "01JB00000000000000PASSKEY0",
                     *           "name": "Phone",
                     *           "createdTime": "2030-01-31T09:30:00.000Z",
                     *           "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "codes": {
                     *         "createdTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "recoveryCodes": {
                     *         "left": 10
                     *       },
                     *       "required": false
                     *     }
                     */
                    "application/json": components["schemas"]["Factors"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    completeCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["CodeCompletion"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "abcd-efgh-ijkl-mnop"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    beginPasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "options": {}
                     *     }
                     */
                    "application/json": components["schemas"]["PasskeyOptions"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    completePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Phone",
                 *       "credential": {
                 *         "id": "AQID",
                 *         "rawId": "AQID",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "AQID",
                 *           "attestationObject": "AQID"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PasskeyCompletion"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PASSKEY0",
                     *       "name": "Phone",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "recoveryCodes": [
                     *         "abcd-efgh-ijkl-mnop"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AddedPasskey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    renamePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the passkey.
                 * @example 01JB0000000000000000000000
                 */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Phone"
                 *     }
                 */
                "application/json": components["schemas"]["PasskeyUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PASSKEY0",
                     *       "name": "Phone",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    removePasskey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the passkey.
                 * @example 01JB0000000000000000000000
                 */
                passkeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PASSKEY0",
                     *       "name": "Phone",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Passkey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getFactors: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passkeys": [
                     *         {
                     *           "_id": "01JB00000000000000PASSKEY0",
                     *           "name": "Phone",
                     *           "createdTime": "2030-01-31T09:30:00.000Z",
                     *           "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "codes": {
                     *         "createdTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "recoveryCodes": {
                     *         "left": 10
                     *       },
                     *       "required": false
                     *     }
                     */
                    "application/json": components["schemas"]["Factors"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    replaceRecoveryCodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["NoFields"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "abcd-efgh-ijkl-mnop"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Practice East",
                     *       "requiredFactors": "administrators"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateOrganization: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "requiredFactors": "administrators"
                 *     }
                 */
                "application/json": components["schemas"]["OrganizationUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Practice East",
                     *       "requiredFactors": "administrators"
                     *     }
                     */
                    "application/json": components["schemas"]["Organization"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOperators: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000PERAT0R0",
                     *         "email": "operator@example.com",
                     *         "role": "staff",
                     *         "active": true,
                     *         "passwordChangeRequired": false,
                     *         "factors": [
                     *           "passkey"
                     *         ],
                     *         "name": "Ada Byron",
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *         "invitation": {
                     *           "expiryTime": "2030-02-03T09:30:00.000Z",
                     *           "mail": "sent"
                     *         }
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Operator"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createOperator: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "operator@example.com",
                 *       "password": "correct horse battery",
                 *       "role": "staff",
                 *       "name": "Ada Byron"
                 *     }
                 */
                "application/json": components["schemas"]["OperatorCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "active": true,
                     *       "passwordChangeRequired": false,
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "name": "Ada Byron",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *       "invitation": {
                     *         "expiryTime": "2030-02-03T09:30:00.000Z",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InvitedOperator"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOperator: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "active": true,
                     *       "passwordChangeRequired": false,
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "name": "Ada Byron",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *       "invitation": {
                     *         "expiryTime": "2030-02-03T09:30:00.000Z",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateOperator: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "operator@example.com",
                 *       "role": "staff",
                 *       "name": "Ada Byron",
                 *       "active": true,
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["OperatorUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "active": true,
                     *       "passwordChangeRequired": true,
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "name": "Ada Byron",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *       "invitation": {
                     *         "expiryTime": "2030-02-03T09:30:00.000Z",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteOperator: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "active": true,
                     *       "passwordChangeRequired": false,
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "name": "Ada Byron",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *       "invitation": {
                     *         "expiryTime": "2030-02-03T09:30:00.000Z",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    inviteOperatorAgain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "active": true,
                     *       "passwordChangeRequired": false,
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "name": "Ada Byron",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *       "invitation": {
                     *         "expiryTime": "2030-02-03T09:30:00.000Z",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["InvitedOperator"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resetOperatorFactors: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PERAT0R0",
                     *       "email": "operator@example.com",
                     *       "role": "staff",
                     *       "active": true,
                     *       "passwordChangeRequired": false,
                     *       "factors": [
                     *         "passkey"
                     *       ],
                     *       "name": "Ada Byron",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastSignInTime": "2030-01-31T09:30:00.000Z",
                     *       "invitation": {
                     *         "expiryTime": "2030-02-03T09:30:00.000Z",
                     *         "mail": "sent"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOperatorSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000SESS10N00",
                     *         "operatorId": "01JB00000000000000PERAT0R0",
                     *         "email": "operator@example.com",
                     *         "role": "staff",
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *         "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *         "expiryTime": "2030-01-31T21:30:00.000Z",
                     *         "address": "203.0.113.7",
                     *         "userAgent": "Mozilla/5.0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    endOperatorSessions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the operator.
                 * @example 01JB0000000000000000000000
                 */
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000SESS10N00",
                     *         "operatorId": "01JB00000000000000PERAT0R0",
                     *         "email": "operator@example.com",
                     *         "role": "staff",
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *         "confirmedTime": "2030-01-31T09:30:00.000Z",
                     *         "expiryTime": "2030-01-31T21:30:00.000Z",
                     *         "address": "203.0.113.7",
                     *         "userAgent": "Mozilla/5.0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Session"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    completeInvitation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "secret": "0000000000000000000000000000000000000000000",
                 *       "name": "Ada Byron",
                 *       "password": "correct horse battery"
                 *     }
                 */
                "application/json": components["schemas"]["InvitationCompletion"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "email": "operator@example.com"
                     *     }
                     */
                    "application/json": components["schemas"]["CompletedInvitation"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPasswordResetState: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "mail": true
                     *     }
                     */
                    "application/json": components["schemas"]["PasswordResetState"];
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    requestPasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "operator@example.com"
                 *     }
                 */
                "application/json": components["schemas"]["PasswordResetRequest"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["Empty"];
                };
            };
            400: components["responses"]["BadRequest"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    completePasswordReset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "secret": "0000000000000000000000000000000000000000000",
                 *       "password": "correct horse battery",
                 *       "challenge": "0000000000000000000000000000000000000000000",
                 *       "code": "123456",
                 *       "recoveryCode": "abcd-efgh-ijkl-mnop",
                 *       "assertion": {
                 *         "id": "AQID",
                 *         "rawId": "AQID",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "AQID",
                 *           "authenticatorData": "AQID",
                 *           "signature": "AQID",
                 *           "userHandle": "AQID"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PasswordResetCompletion"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /** @example {} */
                    "application/json": components["schemas"]["Empty"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNotices: {
        parameters: {
            query?: {
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000N0T1CE00",
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "operatorId": "01JB00000000000000PERAT0R0",
                     *         "state": "sent",
                     *         "finalTime": "2030-01-31T09:30:00.000Z",
                     *         "facts": [
                     *           {
                     *             "kind": "subscriptionDisabled",
                     *             "count": 1,
                     *             "ids": [
                     *               "01JB000000000000SVBSCR1PT0"
                     *             ]
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Notice"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getNoticeSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriptionFailing": true,
                     *       "subscriptionDisabled": true,
                     *       "subscriptionRecovered": true,
                     *       "credentialEnding": true,
                     *       "appConnected": true,
                     *       "newReceiverHost": true
                     *     }
                     */
                    "application/json": components["schemas"]["NoticeSettings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateNoticeSettings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subscriptionFailing": true,
                 *       "subscriptionDisabled": true,
                 *       "subscriptionRecovered": true,
                 *       "credentialEnding": true,
                 *       "appConnected": true,
                 *       "newReceiverHost": true
                 *     }
                 */
                "application/json": components["schemas"]["NoticeSettingsUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subscriptionFailing": true,
                     *       "subscriptionDisabled": true,
                     *       "subscriptionRecovered": true,
                     *       "credentialEnding": true,
                     *       "appConnected": true,
                     *       "newReceiverHost": true
                     *     }
                     */
                    "application/json": components["schemas"]["NoticeSettings"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listApiKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000AP1KEY00",
                     *         "name": "Recall letters",
                     *         "scopes": [
                     *           "patients:read",
                     *           "appointments:read"
                     *         ],
                     *         "clinicIds": [
                     *           "01JB0000000000000000CHN1C0"
                     *         ],
                     *         "rateLimit": 600,
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *         "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *         "formerSecret": {
                     *           "expiryTime": "2030-05-01T09:30:00.000Z",
                     *           "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *         },
                     *         "expiryTime": "2030-05-01T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["ApiKey"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Recall letters",
                 *       "scopes": [
                 *         "patients:read",
                 *         "appointments:read"
                 *       ],
                 *       "rateLimit": 600,
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ],
                 *       "expiryTime": "2030-05-01T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000AP1KEY00",
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-05-01T09:30:00.000Z",
                     *       "secret": "chairside_key_0000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCurrentApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *       "expiryTime": "2030-05-01T09:30:00.000Z",
                     *       "ref": "Zk5sE1vT0mQeY2xHq3pJbA"
                     *     }
                     */
                    "application/json": components["schemas"]["CurrentApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the api key.
                 * @example 01JB0000000000000000000000
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000AP1KEY00",
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *       "formerSecret": {
                     *         "expiryTime": "2030-05-01T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "expiryTime": "2030-05-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the api key.
                 * @example 01JB0000000000000000000000
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Recall letters",
                 *       "scopes": [
                 *         "patients:read",
                 *         "appointments:read"
                 *       ],
                 *       "rateLimit": 600,
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ],
                 *       "expiryTime": "2030-05-01T09:30:00.000Z"
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000AP1KEY00",
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *       "formerSecret": {
                     *         "expiryTime": "2030-05-01T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "expiryTime": "2030-05-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteApiKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the api key.
                 * @example 01JB0000000000000000000000
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000AP1KEY00",
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *       "formerSecret": {
                     *         "expiryTime": "2030-05-01T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "expiryTime": "2030-05-01T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKey"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the api key.
                 * @example 01JB0000000000000000000000
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "overlapHours": 24
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyRotation"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000AP1KEY00",
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *       "formerSecret": {
                     *         "expiryTime": "2030-05-01T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "expiryTime": "2030-05-01T09:30:00.000Z",
                     *       "secret": "chairside_key_0000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revealApiKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the api key.
                 * @example 01JB0000000000000000000000
                 */
                apiKeyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "password": "correct horse battery",
                 *       "challenge": "0000000000000000000000000000000000000000000",
                 *       "code": "123456",
                 *       "recoveryCode": "abcd-efgh-ijkl-mnop",
                 *       "assertion": {
                 *         "id": "AQID",
                 *         "rawId": "AQID",
                 *         "type": "public-key",
                 *         "response": {
                 *           "clientDataJSON": "AQID",
                 *           "authenticatorData": "AQID",
                 *           "signature": "AQID",
                 *           "userHandle": "AQID"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ApiKeyReveal"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000AP1KEY00",
                     *       "name": "Recall letters",
                     *       "scopes": [
                     *         "patients:read",
                     *         "appointments:read"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "rateLimit": 600,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "lastRotationTime": "2030-01-31T09:30:00.000Z",
                     *       "formerSecret": {
                     *         "expiryTime": "2030-05-01T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "expiryTime": "2030-05-01T09:30:00.000Z",
                     *       "secret": "chairside_key_0000000000000000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyWithSecret"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listConnections: {
        parameters: {
            query?: {
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000C0NNECT0",
                     *         "clientName": "Claude",
                     *         "redirectHost": "claude.ai",
                     *         "operatorId": "01JB00000000000000PERAT0R0",
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *         "tools": [
                     *           {
                     *             "name": "find_availability",
                     *             "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *           }
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Connection"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteConnection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the connection.
                 * @example 01JB0000000000000000000000
                 */
                connectionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000C0NNECT0",
                     *       "clientName": "Claude",
                     *       "redirectHost": "claude.ai",
                     *       "operatorId": "01JB00000000000000PERAT0R0",
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "lastUsedTime": "2030-01-31T09:30:00.000Z",
                     *       "tools": [
                     *         {
                     *           "name": "find_availability",
                     *           "lastUsedTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Connection"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listClinics: {
        parameters: {
            query?: {
                /**
                 * @description Only the record with this `externalId`.
                 * @example pms:4711
                 */
                externalId?: string;
                /**
                 * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
                 * @example 2030-01-31T00:00:00Z
                 */
                updatedSince?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "externalId",
                 *       "name"
                 *     ]
                 */
                fields?: ("_id" | "externalId" | "name" | "currency" | "defaultLocale" | "timezone" | "lastEditTime")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "name": "North clinic",
                     *         "currency": "EUR",
                     *         "defaultLocale": "de-DE",
                     *         "timezone": "Europe/Berlin",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Clinic"] | components["schemas"]["ClinicSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getClinic: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the clinic.
                 * @example 01JB0000000000000000000000
                 */
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "North clinic",
                     *       "currency": "EUR",
                     *       "defaultLocale": "de-DE",
                     *       "timezone": "Europe/Berlin",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Clinic"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPatients: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only the record with this `externalId`.
                 * @example pms:4711
                 */
                externalId?: string;
                /**
                 * @description Only rows with this e-mail address, ignoring case.
                 * @example test.patient@example.com
                 */
                email?: string;
                /**
                 * @description Only patients whose name has, for each of these words, a word that begins with it, or the same word if it has fewer than three letters. Of Chinese, Japanese and Korean characters, two are enough. Case, accents, apostrophes and ways to spell a letter such as `ü` and `ue` do not matter. At most 8 different words. An address is in the logs of proxies: `POST /api/patients/search` has the filters in its body.
                 * @example Test Patient
                 */
                name?: string;
                /**
                 * @description Only patients who have this telephone number: the last eight digits are compared, or all if it has fewer, at least 6. Other characters and an extension are ignored. Search for several numbers one by one.
                 * @example +1 202 555 0100
                 */
                phone?: string;
                /**
                 * @description Only records with these ids, separated by commas. Unknown ids are ignored.
                 * @example [
                 *       "01JB0000000000000000PAT1E0",
                 *       "01JB0000000000000000PAT2E0"
                 *     ]
                 */
                _ids?: string[];
                /**
                 * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
                 * @example 2030-01-31T00:00:00Z
                 */
                updatedSince?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "clinicId",
                 *       "externalId"
                 *     ]
                 */
                fields?: ("_id" | "clinicId" | "externalId" | "name" | "email" | "phone" | "language" | "createdTime" | "lastEditTime")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000000PAT1E0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "name": "Test Patient",
                     *         "email": "test.patient@example.com",
                     *         "phone": "+1 202 555 0100",
                     *         "language": "en",
                     *         "createdTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Patient"] | components["schemas"]["PatientSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPatient: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "name": "Test Patient",
                 *       "email": "test.patient@example.com",
                 *       "phone": "+1 202 555 0100",
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["PatientCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000PAT1E0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "Test Patient",
                     *       "email": "test.patient@example.com",
                     *       "phone": "+1 202 555 0100",
                     *       "language": "en",
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Patient"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    searchPatients: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "email": "test.patient@example.com",
                 *       "name": "Test Patient",
                 *       "phone": "+1 202 555 0100",
                 *       "_ids": [
                 *         "01JB0000000000000000PAT1E0",
                 *         "01JB0000000000000000PAT2E0"
                 *       ],
                 *       "updatedSince": "2030-01-31T00:00:00Z",
                 *       "limit": 100,
                 *       "cursor": "AbC",
                 *       "fields": [
                 *         "_id",
                 *         "clinicId",
                 *         "externalId"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["PatientSearch"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000000PAT1E0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "name": "Test Patient",
                     *         "email": "test.patient@example.com",
                     *         "phone": "+1 202 555 0100",
                     *         "language": "en",
                     *         "createdTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Patient"] | components["schemas"]["PatientSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPatient: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the patient.
                 * @example 01JB0000000000000000000000
                 */
                patientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000PAT1E0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "Test Patient",
                     *       "email": "test.patient@example.com",
                     *       "phone": "+1 202 555 0100",
                     *       "language": "en",
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Patient"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePatient: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the patient.
                 * @example 01JB0000000000000000000000
                 */
                patientId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "name": "Test Patient",
                 *       "email": "test.patient@example.com",
                 *       "phone": "+1 202 555 0100",
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["PatientUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000PAT1E0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "Test Patient",
                     *       "email": "test.patient@example.com",
                     *       "phone": "+1 202 555 0100",
                     *       "language": "en",
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Patient"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePatient: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the patient.
                 * @example 01JB0000000000000000000000
                 */
                patientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000PAT1E0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "Test Patient",
                     *       "email": "test.patient@example.com",
                     *       "phone": "+1 202 555 0100",
                     *       "language": "en",
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Patient"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPatientByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `externalId` of the record, percent-encoded as UTF-8.
                 * @example pms:4711
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000PAT1E0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "Test Patient",
                     *       "email": "test.patient@example.com",
                     *       "phone": "+1 202 555 0100",
                     *       "language": "en",
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Patient"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    upsertPatient: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `externalId` of the record, percent-encoded as UTF-8.
                 * @example pms:4711
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "name": "Test Patient",
                 *       "email": "test.patient@example.com",
                 *       "phone": "+1 202 555 0100",
                 *       "language": "en"
                 *     }
                 */
                "application/json": components["schemas"]["PatientUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "X-Record-Created": components["headers"]["X-Record-Created"];
                    "X-Record-Changed": components["headers"]["X-Record-Changed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000000PAT1E0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "name": "Test Patient",
                     *       "email": "test.patient@example.com",
                     *       "phone": "+1 202 555 0100",
                     *       "language": "en",
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Patient"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    exportPatient: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the patient.
                 * @example 01JB0000000000000000000000
                 */
                patientId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "patient": {
                     *         "_id": "01JB0000000000000000PAT1E0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "name": "Test Patient",
                     *         "email": "test.patient@example.com",
                     *         "phone": "+1 202 555 0100",
                     *         "language": "en",
                     *         "createdTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "appointments": [
                     *         {
                     *           "_id": "01JB00000000000000APP01NT0",
                     *           "clinicId": "01JB0000000000000000CHN1C0",
                     *           "externalId": "pms:4711",
                     *           "patientId": "01JB0000000000000000PAT1E0",
                     *           "providerId": "01JB0000000000000PR0V1DER0",
                     *           "startTime": "2030-01-31T09:30:00.000Z",
                     *           "endTime": "2030-01-31T10:00:00.000Z",
                     *           "status": "SCHEDULED",
                     *           "procedures": [
                     *             {
                     *               "_id": "01JB0000000000000000ENTRY0",
                     *               "procedureId": "01JB00000000000000PR0CED00",
                     *               "name": "Check-up",
                     *               "price": "80.00"
                     *             }
                     *           ],
                     *           "reminders": [
                     *             {
                     *               "hoursBefore": 24
                     *             }
                     *           ],
                     *           "createdTime": "2030-01-15T08:00:00.000Z",
                     *           "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "invoices": [
                     *         {
                     *           "_id": "01JB00000000000000001NV010",
                     *           "clinicId": "01JB0000000000000000CHN1C0",
                     *           "externalId": "pms:4711",
                     *           "patientId": "01JB0000000000000000PAT1E0",
                     *           "number": "R-2030-17",
                     *           "total": 120.5,
                     *           "currency": "EUR",
                     *           "status": "OPEN",
                     *           "dueTime": "2030-02-14T23:00:00.000Z",
                     *           "creationTime": "2030-01-15T08:00:00.000Z",
                     *           "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "payments": [
                     *         {
                     *           "_id": "01JB00000000000000PAYMENT0",
                     *           "clinicId": "01JB0000000000000000CHN1C0",
                     *           "externalId": "pms:4711",
                     *           "patientId": "01JB0000000000000000PAT1E0",
                     *           "invoiceId": "01JB00000000000000001NV010",
                     *           "amount": 120.5,
                     *           "currency": "EUR",
                     *           "method": "CARD",
                     *           "status": "COMPLETED",
                     *           "paidTime": "2030-01-31T09:30:00.000Z",
                     *           "creationTime": "2030-01-15T08:00:00.000Z",
                     *           "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "treatments": [
                     *         {
                     *           "_id": "01JB000000000000TREATMENT0",
                     *           "clinicId": "01JB0000000000000000CHN1C0",
                     *           "externalId": "pms:4711",
                     *           "patientId": "01JB0000000000000000PAT1E0",
                     *           "appointmentId": "01JB00000000000000APP01NT0",
                     *           "providerId": "01JB0000000000000PR0V1DER0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "procedureCode": "2060",
                     *           "name": "Filling",
                     *           "teeth": [
                     *             "11"
                     *           ],
                     *           "surfaces": [
                     *             "O"
                     *           ],
                     *           "status": "COMPLETED",
                     *           "notes": "No complications.",
                     *           "price": "80.00",
                     *           "currency": "EUR",
                     *           "performedTime": "2030-01-31T09:30:00.000Z",
                     *           "creationTime": "2030-01-15T08:00:00.000Z",
                     *           "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "events": [
                     *         {
                     *           "id": "01JB000000000000000EVENT10",
                     *           "event": "patient.created",
                     *           "timestamp": 1896082200,
                     *           "data": {
                     *             "_id": "01JB0000000000000000PAT1E0",
                     *             "clinicId": "01JB0000000000000000CHN1C0",
                     *             "externalId": "pms:4711",
                     *             "name": "Test Patient",
                     *             "email": "test.patient@example.com",
                     *             "phone": "+1 202 555 0100",
                     *             "language": "en",
                     *             "createdTime": "2030-01-15T08:00:00.000Z",
                     *             "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *           },
                     *           "origin": {
                     *             "kind": "apiKey",
                     *             "ref": "Zk5sE1vT0mQeY2xHq3pJbA",
                     *             "requestId": "01JB00000000000REQVEST1D00"
                     *           },
                     *           "changed": [
                     *             "phone"
                     *           ],
                     *           "clinicIds": [
                     *             "01JB0000000000000000CHN1C0"
                     *           ],
                     *           "loggedTime": "2030-01-31T09:30:00.250Z"
                     *         }
                     *       ],
                     *       "reads": [
                     *         {
                     *           "time": "2030-01-31T09:30:00.000Z",
                     *           "action": "read",
                     *           "principal": {
                     *             "kind": "apiKey",
                     *             "id": "01JB00000000000000AP1KEY00"
                     *           },
                     *           "by": "j.doe",
                     *           "result": "ok",
                     *           "requestId": "01JB00000000000000REQVEST0"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["PatientExport"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAppointments: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only the record with this `externalId`.
                 * @example pms:4711
                 */
                externalId?: string;
                /**
                 * @description Only rows of this patient.
                 * @example 01JB0000000000000000PAT1E0
                 */
                patientId?: string;
                /**
                 * @description Only rows of this provider.
                 * @example 01JB0000000000000PR0V1DER0
                 */
                providerId?: string;
                /**
                 * @description Only rows with one of these statuses, separated by commas.
                 * @example [
                 *       "SCHEDULED"
                 *     ]
                 */
                status?: ("REQUESTED" | "SCHEDULED" | "PATIENT_ARRIVED" | "NO_SHOW" | "CANCELED")[];
                /**
                 * @description Only appointments that end after this time. An appointment without an end is included if it starts at this time or later.
                 * @example 2030-01-31T00:00:00Z
                 */
                startTime?: string;
                /**
                 * @description Only appointments that start before this time.
                 * @example 2030-01-31T00:00:00Z
                 */
                endTime?: string;
                /**
                 * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
                 * @example 2030-01-31T00:00:00Z
                 */
                updatedSince?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "clinicId",
                 *       "externalId"
                 *     ]
                 */
                fields?: ("_id" | "clinicId" | "externalId" | "patientId" | "providerId" | "startTime" | "endTime" | "status" | "procedures" | "reminders" | "createdTime" | "lastEditTime")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000APP01NT0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "patientId": "01JB0000000000000000PAT1E0",
                     *         "providerId": "01JB0000000000000PR0V1DER0",
                     *         "startTime": "2030-01-31T09:30:00.000Z",
                     *         "endTime": "2030-01-31T10:00:00.000Z",
                     *         "status": "SCHEDULED",
                     *         "procedures": [
                     *           {
                     *             "_id": "01JB0000000000000000ENTRY0",
                     *             "procedureId": "01JB00000000000000PR0CED00",
                     *             "name": "Check-up",
                     *             "price": "80.00"
                     *           }
                     *         ],
                     *         "reminders": [
                     *           {
                     *             "hoursBefore": 24
                     *           }
                     *         ],
                     *         "createdTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Appointment"] | components["schemas"]["AppointmentSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createAppointment: {
        parameters: {
            query?: {
                /**
                 * @description With `true`, the appointment is written only if its time is free: in opening hours, in the future, outside calendar blocks, and with a free chair and provider. Otherwise the response is a 409 with `details.reason` and `details.nextSlots`. Both times are required. However many callers book at the same time, no chair and no provider is booked twice.
                 * @example true
                 */
                onlyIfFree?: "true";
            };
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "patientId": "01JB0000000000000000PAT1E0",
                 *       "patientExternalId": "pms:4711",
                 *       "providerId": "01JB0000000000000PR0V1DER0",
                 *       "startTime": "2030-01-31T09:30:00.000Z",
                 *       "endTime": "2030-01-31T10:00:00.000Z",
                 *       "status": "SCHEDULED",
                 *       "procedures": [
                 *         {
                 *           "_id": "01JB0000000000000000ENTRY0",
                 *           "procedureId": "01JB00000000000000PR0CED00",
                 *           "name": "Check-up",
                 *           "price": "80.00"
                 *         }
                 *       ],
                 *       "reminders": [
                 *         {
                 *           "hoursBefore": 24
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AppointmentCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000APP01NT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "procedures": [
                     *         {
                     *           "_id": "01JB0000000000000000ENTRY0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "name": "Check-up",
                     *           "price": "80.00"
                     *         }
                     *       ],
                     *       "reminders": [
                     *         {
                     *           "hoursBefore": 24
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAppointment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the appointment.
                 * @example 01JB0000000000000000000000
                 */
                appointmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000APP01NT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "procedures": [
                     *         {
                     *           "_id": "01JB0000000000000000ENTRY0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "name": "Check-up",
                     *           "price": "80.00"
                     *         }
                     *       ],
                     *       "reminders": [
                     *         {
                     *           "hoursBefore": 24
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateAppointment: {
        parameters: {
            query?: {
                /**
                 * @description With `true`, the appointment is written only if its time is free: in opening hours, in the future, outside calendar blocks, and with a free chair and provider. Otherwise the response is a 409 with `details.reason` and `details.nextSlots`. Both times are required. However many callers book at the same time, no chair and no provider is booked twice.
                 * @example true
                 */
                onlyIfFree?: "true";
            };
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the appointment.
                 * @example 01JB0000000000000000000000
                 */
                appointmentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "patientId": "01JB0000000000000000PAT1E0",
                 *       "patientExternalId": "pms:4711",
                 *       "providerId": "01JB0000000000000PR0V1DER0",
                 *       "startTime": "2030-01-31T09:30:00.000Z",
                 *       "endTime": "2030-01-31T10:00:00.000Z",
                 *       "status": "SCHEDULED",
                 *       "procedures": [
                 *         {
                 *           "_id": "01JB0000000000000000ENTRY0",
                 *           "procedureId": "01JB00000000000000PR0CED00",
                 *           "name": "Check-up",
                 *           "price": "80.00"
                 *         }
                 *       ],
                 *       "reminders": [
                 *         {
                 *           "hoursBefore": 24
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AppointmentUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000APP01NT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "procedures": [
                     *         {
                     *           "_id": "01JB0000000000000000ENTRY0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "name": "Check-up",
                     *           "price": "80.00"
                     *         }
                     *       ],
                     *       "reminders": [
                     *         {
                     *           "hoursBefore": 24
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteAppointment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the appointment.
                 * @example 01JB0000000000000000000000
                 */
                appointmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000APP01NT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "procedures": [
                     *         {
                     *           "_id": "01JB0000000000000000ENTRY0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "name": "Check-up",
                     *           "price": "80.00"
                     *         }
                     *       ],
                     *       "reminders": [
                     *         {
                     *           "hoursBefore": 24
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAppointmentByExternalId: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `externalId` of the record, percent-encoded as UTF-8.
                 * @example pms:4711
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000APP01NT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "procedures": [
                     *         {
                     *           "_id": "01JB0000000000000000ENTRY0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "name": "Check-up",
                     *           "price": "80.00"
                     *         }
                     *       ],
                     *       "reminders": [
                     *         {
                     *           "hoursBefore": 24
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    upsertAppointment: {
        parameters: {
            query?: {
                /**
                 * @description With `true`, the appointment is written only if its time is free: in opening hours, in the future, outside calendar blocks, and with a free chair and provider. Otherwise the response is a 409 with `details.reason` and `details.nextSlots`. Both times are required. However many callers book at the same time, no chair and no provider is booked twice.
                 * @example true
                 */
                onlyIfFree?: "true";
            };
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `externalId` of the record, percent-encoded as UTF-8.
                 * @example pms:4711
                 */
                externalId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "externalId": "pms:4711",
                 *       "patientId": "01JB0000000000000000PAT1E0",
                 *       "patientExternalId": "pms:4711",
                 *       "providerId": "01JB0000000000000PR0V1DER0",
                 *       "startTime": "2030-01-31T09:30:00.000Z",
                 *       "endTime": "2030-01-31T10:00:00.000Z",
                 *       "status": "SCHEDULED",
                 *       "procedures": [
                 *         {
                 *           "_id": "01JB0000000000000000ENTRY0",
                 *           "procedureId": "01JB00000000000000PR0CED00",
                 *           "name": "Check-up",
                 *           "price": "80.00"
                 *         }
                 *       ],
                 *       "reminders": [
                 *         {
                 *           "hoursBefore": 24
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["AppointmentUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "X-Record-Created": components["headers"]["X-Record-Created"];
                    "X-Record-Changed": components["headers"]["X-Record-Changed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000APP01NT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "status": "SCHEDULED",
                     *       "procedures": [
                     *         {
                     *           "_id": "01JB0000000000000000ENTRY0",
                     *           "procedureId": "01JB00000000000000PR0CED00",
                     *           "name": "Check-up",
                     *           "price": "80.00"
                     *         }
                     *       ],
                     *       "reminders": [
                     *         {
                     *           "hoursBefore": 24
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    writeBatch: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "writes": [
                 *         {
                 *           "method": "upsert",
                 *           "kind": "patient",
                 *           "externalId": "pms:4711",
                 *           "body": {
                 *             "clinicId": "01JB0000000000000000CHN1C0",
                 *             "name": "Test Patient"
                 *           }
                 *         }
                 *       ],
                 *       "return": "minimal"
                 *     }
                 */
                "application/json": components["schemas"]["Batch"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "results": [
                     *         {
                     *           "status": 200,
                     *           "record": {
                     *             "_id": "01JB0000000000000000PAT1E0",
                     *             "clinicId": "01JB0000000000000000CHN1C0",
                     *             "externalId": "pms:4711",
                     *             "name": "Test Patient",
                     *             "email": "test.patient@example.com",
                     *             "phone": "+1 202 555 0100",
                     *             "language": "en",
                     *             "createdTime": "2030-01-15T08:00:00.000Z",
                     *             "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BatchResult"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listInvoices: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only the record with this `externalId`.
                 * @example pms:4711
                 */
                externalId?: string;
                /**
                 * @description Only rows of this patient.
                 * @example 01JB0000000000000000PAT1E0
                 */
                patientId?: string;
                /**
                 * @description Only rows with one of these statuses, separated by commas.
                 * @example [
                 *       "OPEN"
                 *     ]
                 */
                status?: ("DRAFT" | "OPEN" | "PARTIALLY_PAID" | "PAID" | "VOID" | "REFUNDED")[];
                /**
                 * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
                 * @example 2030-01-31T00:00:00Z
                 */
                updatedSince?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "clinicId",
                 *       "externalId"
                 *     ]
                 */
                fields?: ("_id" | "clinicId" | "externalId" | "patientId" | "number" | "total" | "currency" | "status" | "dueTime" | "creationTime" | "lastEditTime")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000001NV010",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "patientId": "01JB0000000000000000PAT1E0",
                     *         "number": "R-2030-17",
                     *         "total": 120.5,
                     *         "currency": "EUR",
                     *         "status": "OPEN",
                     *         "dueTime": "2030-02-14T23:00:00.000Z",
                     *         "creationTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Invoice"] | components["schemas"]["InvoiceSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the invoice.
                 * @example 01JB0000000000000000000000
                 */
                invoiceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000001NV010",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "number": "R-2030-17",
                     *       "total": 120.5,
                     *       "currency": "EUR",
                     *       "status": "OPEN",
                     *       "dueTime": "2030-02-14T23:00:00.000Z",
                     *       "creationTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPayments: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only the record with this `externalId`.
                 * @example pms:4711
                 */
                externalId?: string;
                /**
                 * @description Only rows of this patient.
                 * @example 01JB0000000000000000PAT1E0
                 */
                patientId?: string;
                /**
                 * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
                 * @example 2030-01-31T00:00:00Z
                 */
                updatedSince?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "clinicId",
                 *       "externalId"
                 *     ]
                 */
                fields?: ("_id" | "clinicId" | "externalId" | "patientId" | "invoiceId" | "amount" | "currency" | "method" | "status" | "paidTime" | "creationTime" | "lastEditTime")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000PAYMENT0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "patientId": "01JB0000000000000000PAT1E0",
                     *         "invoiceId": "01JB00000000000000001NV010",
                     *         "amount": 120.5,
                     *         "currency": "EUR",
                     *         "method": "CARD",
                     *         "status": "COMPLETED",
                     *         "paidTime": "2030-01-31T09:30:00.000Z",
                     *         "creationTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Payment"] | components["schemas"]["PaymentSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the payment.
                 * @example 01JB0000000000000000000000
                 */
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PAYMENT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "invoiceId": "01JB00000000000000001NV010",
                     *       "amount": 120.5,
                     *       "currency": "EUR",
                     *       "method": "CARD",
                     *       "status": "COMPLETED",
                     *       "paidTime": "2030-01-31T09:30:00.000Z",
                     *       "creationTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Payment"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTreatments: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only the record with this `externalId`.
                 * @example pms:4711
                 */
                externalId?: string;
                /**
                 * @description Only records that were edited at this time or later, in the order of `lastEditTime`. Use it to poll.
                 * @example 2030-01-31T00:00:00Z
                 */
                updatedSince?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "clinicId",
                 *       "externalId"
                 *     ]
                 */
                fields?: ("_id" | "clinicId" | "externalId" | "patientId" | "appointmentId" | "providerId" | "procedureId" | "procedureCode" | "name" | "teeth" | "surfaces" | "status" | "notes" | "price" | "currency" | "performedTime" | "creationTime" | "lastEditTime")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB000000000000TREATMENT0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "patientId": "01JB0000000000000000PAT1E0",
                     *         "appointmentId": "01JB00000000000000APP01NT0",
                     *         "providerId": "01JB0000000000000PR0V1DER0",
                     *         "procedureId": "01JB00000000000000PR0CED00",
                     *         "procedureCode": "2060",
                     *         "name": "Filling",
                     *         "teeth": [
                     *           "11"
                     *         ],
                     *         "surfaces": [
                     *           "O"
                     *         ],
                     *         "status": "COMPLETED",
                     *         "notes": "No complications.",
                     *         "price": "80.00",
                     *         "currency": "EUR",
                     *         "performedTime": "2030-01-31T09:30:00.000Z",
                     *         "creationTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Treatment"] | components["schemas"]["TreatmentSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTreatment: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the treatment.
                 * @example 01JB0000000000000000000000
                 */
                treatmentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000TREATMENT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "externalId": "pms:4711",
                     *       "patientId": "01JB0000000000000000PAT1E0",
                     *       "appointmentId": "01JB00000000000000APP01NT0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "procedureId": "01JB00000000000000PR0CED00",
                     *       "procedureCode": "2060",
                     *       "name": "Filling",
                     *       "teeth": [
                     *         "11"
                     *       ],
                     *       "surfaces": [
                     *         "O"
                     *       ],
                     *       "status": "COMPLETED",
                     *       "notes": "No complications.",
                     *       "price": "80.00",
                     *       "currency": "EUR",
                     *       "performedTime": "2030-01-31T09:30:00.000Z",
                     *       "creationTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Treatment"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProviders: {
        parameters: {
            query?: {
                /**
                 * @description Only providers who work at this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "name",
                 *       "clinicIds"
                 *     ]
                 */
                fields?: ("_id" | "name" | "clinicIds")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB0000000000000PR0V1DER0",
                     *         "name": "Dr. Ines Albers",
                     *         "clinicIds": [
                     *           "01JB0000000000000000CHN1C0"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Provider"] | components["schemas"]["ProviderSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dr. Ines Albers",
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProviderCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000PR0V1DER0",
                     *       "name": "Dr. Ines Albers",
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the provider.
                 * @example 01JB0000000000000000000000
                 */
                providerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000PR0V1DER0",
                     *       "name": "Dr. Ines Albers",
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Provider"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the provider.
                 * @example 01JB0000000000000000000000
                 */
                providerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Dr. Ines Albers",
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProviderUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000PR0V1DER0",
                     *       "name": "Dr. Ines Albers",
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteProvider: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the provider.
                 * @example 01JB0000000000000000000000
                 */
                providerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB0000000000000PR0V1DER0",
                     *       "name": "Dr. Ines Albers",
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Provider"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProcedures: {
        parameters: {
            query?: {
                /**
                 * @description Only procedures that this clinic offers.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "name",
                 *       "code"
                 *     ]
                 */
                fields?: ("_id" | "name" | "code" | "price" | "currency" | "durationMinutes" | "bookable" | "clinicIds")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000PR0CED00",
                     *         "name": "Check-up",
                     *         "code": "2060",
                     *         "price": "80.00",
                     *         "currency": "EUR",
                     *         "durationMinutes": 30,
                     *         "bookable": true,
                     *         "clinicIds": [
                     *           "01JB0000000000000000CHN1C0"
                     *         ]
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["Procedure"] | components["schemas"]["ProcedureSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProcedure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Check-up",
                 *       "durationMinutes": 30,
                 *       "code": "2060",
                 *       "price": "80.00",
                 *       "currency": "EUR",
                 *       "bookable": true,
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProcedureCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PR0CED00",
                     *       "name": "Check-up",
                     *       "code": "2060",
                     *       "price": "80.00",
                     *       "currency": "EUR",
                     *       "durationMinutes": 30,
                     *       "bookable": true,
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Procedure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProcedure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the procedure.
                 * @example 01JB0000000000000000000000
                 */
                procedureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PR0CED00",
                     *       "name": "Check-up",
                     *       "code": "2060",
                     *       "price": "80.00",
                     *       "currency": "EUR",
                     *       "durationMinutes": 30,
                     *       "bookable": true,
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Procedure"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProcedure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the procedure.
                 * @example 01JB0000000000000000000000
                 */
                procedureId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Check-up",
                 *       "durationMinutes": 30,
                 *       "code": "2060",
                 *       "price": "80.00",
                 *       "currency": "EUR",
                 *       "bookable": true,
                 *       "clinicIds": [
                 *         "01JB0000000000000000CHN1C0"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ProcedureUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PR0CED00",
                     *       "name": "Check-up",
                     *       "code": "2060",
                     *       "price": "80.00",
                     *       "currency": "EUR",
                     *       "durationMinutes": 30,
                     *       "bookable": true,
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Procedure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteProcedure: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the procedure.
                 * @example 01JB0000000000000000000000
                 */
                procedureId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000PR0CED00",
                     *       "name": "Check-up",
                     *       "code": "2060",
                     *       "price": "80.00",
                     *       "currency": "EUR",
                     *       "durationMinutes": 30,
                     *       "bookable": true,
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Procedure"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listCalendarBlocks: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only rows of this provider.
                 * @example 01JB0000000000000PR0V1DER0
                 */
                providerId?: string;
                /**
                 * @description Only blocks that end after this time.
                 * @example 2030-01-31T00:00:00Z
                 */
                startTime?: string;
                /**
                 * @description Only blocks that start before this time.
                 * @example 2030-01-31T00:00:00Z
                 */
                endTime?: string;
                /** @description The maximum number of rows of a page. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
                /**
                 * @description Names of the fields to return, separated by commas. `_id` is always returned.
                 * @example [
                 *       "_id",
                 *       "clinicId",
                 *       "providerId"
                 *     ]
                 */
                fields?: ("_id" | "clinicId" | "providerId" | "startTime" | "endTime" | "kind")[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000000B10CK000",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "providerId": "01JB0000000000000PR0V1DER0",
                     *         "startTime": "2030-01-31T09:30:00.000Z",
                     *         "endTime": "2030-01-31T10:00:00.000Z",
                     *         "kind": "HOLIDAY"
                     *       }
                     *     ]
                     */
                    "application/json": (components["schemas"]["CalendarBlock"] | components["schemas"]["CalendarBlockSelection"])[];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createCalendarBlock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "providerId": "01JB0000000000000PR0V1DER0",
                 *       "startTime": "2030-01-31T09:30:00.000Z",
                 *       "endTime": "2030-01-31T10:00:00.000Z",
                 *       "kind": "HOLIDAY"
                 *     }
                 */
                "application/json": components["schemas"]["CalendarBlockCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000B10CK000",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "kind": "HOLIDAY"
                     *     }
                     */
                    "application/json": components["schemas"]["CalendarBlock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getCalendarBlock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the calendar block.
                 * @example 01JB0000000000000000000000
                 */
                calendarBlockId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000B10CK000",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "kind": "HOLIDAY"
                     *     }
                     */
                    "application/json": components["schemas"]["CalendarBlock"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateCalendarBlock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the calendar block.
                 * @example 01JB0000000000000000000000
                 */
                calendarBlockId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "providerId": "01JB0000000000000PR0V1DER0",
                 *       "startTime": "2030-01-31T09:30:00.000Z",
                 *       "endTime": "2030-01-31T10:00:00.000Z",
                 *       "kind": "HOLIDAY"
                 *     }
                 */
                "application/json": components["schemas"]["CalendarBlockUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000B10CK000",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "kind": "HOLIDAY"
                     *     }
                     */
                    "application/json": components["schemas"]["CalendarBlock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteCalendarBlock: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the calendar block.
                 * @example 01JB0000000000000000000000
                 */
                calendarBlockId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000000B10CK000",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "providerId": "01JB0000000000000PR0V1DER0",
                     *       "startTime": "2030-01-31T09:30:00.000Z",
                     *       "endTime": "2030-01-31T10:00:00.000Z",
                     *       "kind": "HOLIDAY"
                     *     }
                     */
                    "application/json": components["schemas"]["CalendarBlock"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpeningHours: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the clinic.
                 * @example 01JB0000000000000000000000
                 */
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "weekdays": {
                     *         "monday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "tuesday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "wednesday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "thursday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "friday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "saturday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "sunday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ]
                     *       },
                     *       "exceptions": [
                     *         {
                     *           "date": "2030-12-24",
                     *           "intervals": []
                     *         }
                     *       ],
                     *       "chairs": 3,
                     *       "slotMinutes": 15
                     *     }
                     */
                    "application/json": components["schemas"]["OpeningHours"];
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setOpeningHours: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description `*` refuses the change with 412 if the record exists already. It cannot be sent together with `If-Match`.
                 * @example *
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match-Any"];
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the clinic.
                 * @example 01JB0000000000000000000000
                 */
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "weekdays": {
                 *         "monday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ],
                 *         "tuesday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ],
                 *         "wednesday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ],
                 *         "thursday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ],
                 *         "friday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ],
                 *         "saturday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ],
                 *         "sunday": [
                 *           {
                 *             "opens": "08:00",
                 *             "closes": "17:30"
                 *           }
                 *         ]
                 *       },
                 *       "exceptions": [
                 *         {
                 *           "date": "2030-12-24",
                 *           "intervals": []
                 *         }
                 *       ],
                 *       "chairs": 3,
                 *       "slotMinutes": 15
                 *     }
                 */
                "application/json": components["schemas"]["OpeningHoursUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "weekdays": {
                     *         "monday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "tuesday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "wednesday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "thursday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "friday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "saturday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ],
                     *         "sunday": [
                     *           {
                     *             "opens": "08:00",
                     *             "closes": "17:30"
                     *           }
                     *         ]
                     *       },
                     *       "exceptions": [
                     *         {
                     *           "date": "2030-12-24",
                     *           "intervals": []
                     *         }
                     *       ],
                     *       "chairs": 3,
                     *       "slotMinutes": 15
                     *     }
                     */
                    "application/json": components["schemas"]["OpeningHours"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    findAvailability: {
        parameters: {
            query: {
                /**
                 * @description The `_id` of the clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId: string;
                /**
                 * @description The first day, in the time zone of the clinic.
                 * @example 2030-01-31
                 */
                from: string;
                /**
                 * @description The last day, included. A search covers at most 31 days.
                 * @example 2030-01-31
                 */
                to: string;
                /**
                 * @description Slots for this procedure, with its duration. Send this or `durationMinutes`.
                 * @example 01JB00000000000000PR0CED00
                 */
                procedureId?: string;
                /**
                 * @description Slots of this number of minutes. Send this or `procedureId`.
                 * @example 30
                 */
                durationMinutes?: number;
                /**
                 * @description Only slots in which this provider has no calendar block and no other appointment.
                 * @example 01JB0000000000000PR0V1DER0
                 */
                providerId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "timeZone": "Europe/Berlin",
                     *       "durationMinutes": 30,
                     *       "slots": [
                     *         {
                     *           "start": "2030-01-31T09:30:00+01:00",
                     *           "end": "2030-01-31T10:00:00+01:00"
                     *         }
                     *       ],
                     *       "isCut": false,
                     *       "openingHours": [
                     *         {
                     *           "date": "2030-01-31",
                     *           "intervals": [
                     *             {
                     *               "start": "2030-01-31T09:30:00+01:00",
                     *               "end": "2030-01-31T10:00:00+01:00"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Availability"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    previewOpeningHours: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the clinic.
                 * @example 01JB0000000000000000000000
                 */
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from": "2030-01-31",
                 *       "to": "2030-01-31",
                 *       "durationMinutes": 30,
                 *       "hours": {
                 *         "weekdays": {
                 *           "monday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ],
                 *           "tuesday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ],
                 *           "wednesday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ],
                 *           "thursday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ],
                 *           "friday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ],
                 *           "saturday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ],
                 *           "sunday": [
                 *             {
                 *               "opens": "08:00",
                 *               "closes": "17:30"
                 *             }
                 *           ]
                 *         },
                 *         "exceptions": [
                 *           {
                 *             "date": "2030-12-24",
                 *             "intervals": []
                 *           }
                 *         ],
                 *         "chairs": 3,
                 *         "slotMinutes": 15
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["OpeningHoursPreview"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "timeZone": "Europe/Berlin",
                     *       "durationMinutes": 30,
                     *       "slots": [
                     *         {
                     *           "start": "2030-01-31T09:30:00+01:00",
                     *           "end": "2030-01-31T10:00:00+01:00"
                     *         }
                     *       ],
                     *       "isCut": false,
                     *       "openingHours": [
                     *         {
                     *           "date": "2030-01-31",
                     *           "intervals": [
                     *             {
                     *               "start": "2030-01-31T09:30:00+01:00",
                     *               "end": "2030-01-31T10:00:00+01:00"
                     *             }
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Availability"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookSubscriptions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB000000000000SVBSCR1PT0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "url": "https://example.com/webhooks",
                     *         "events": [
                     *           "patient.*",
                     *           "appointment.created"
                     *         ],
                     *         "payload": "full",
                     *         "headers": {
                     *           "Authorization": "********"
                     *         },
                     *         "active": true,
                     *         "createdTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-15T08:00:00.000Z",
                     *         "state": "healthy",
                     *         "withheld": "host_blocked",
                     *         "consecutiveFailures": 0,
                     *         "lastDeliveryTime": "2030-01-31T09:30:00.000Z",
                     *         "lastStatusCode": 204
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookSubscription"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "url": "https://example.com/webhooks",
                 *       "events": [
                 *         "patient.*",
                 *         "appointment.created"
                 *       ],
                 *       "payload": "full",
                 *       "headers": {
                 *         "Authorization": "Bearer of-the-receiver"
                 *       },
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookSubscriptionCreate"] | components["schemas"]["WebhookSubscriptionReplacement"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "patient.*",
                     *         "appointment.created"
                     *       ],
                     *       "payload": "full",
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "active": true,
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-15T08:00:00.000Z",
                     *       "state": "healthy",
                     *       "withheld": "host_blocked",
                     *       "consecutiveFailures": 0,
                     *       "secret": "whsec_00000000000000000000000000000000"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedWebhookSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "patient.*",
                     *         "appointment.created"
                     *       ],
                     *       "payload": "full",
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "active": true,
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-15T08:00:00.000Z",
                     *       "state": "healthy",
                     *       "withheld": "host_blocked",
                     *       "consecutiveFailures": 0,
                     *       "lastDeliveryTime": "2030-01-31T09:30:00.000Z",
                     *       "lastStatusCode": 204
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "clinicId": "01JB0000000000000000CHN1C0",
                 *       "url": "https://example.com/webhooks",
                 *       "events": [
                 *         "patient.*",
                 *         "appointment.created"
                 *       ],
                 *       "payload": "full",
                 *       "headers": {
                 *         "Authorization": "Bearer of-the-receiver"
                 *       },
                 *       "active": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookSubscriptionUpdate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "patient.*",
                     *         "appointment.created"
                     *       ],
                     *       "payload": "full",
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "active": true,
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-15T08:00:00.000Z",
                     *       "state": "healthy",
                     *       "withheld": "host_blocked",
                     *       "consecutiveFailures": 0,
                     *       "lastDeliveryTime": "2030-01-31T09:30:00.000Z",
                     *       "lastStatusCode": 204
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteWebhookSubscription: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Refuses the change with 412 unless the record has this version. The tag may be weak, or end with the name of a coding, as compressing proxies change it.
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["If-Match"];
            };
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "url": "https://example.com/webhooks",
                     *       "events": [
                     *         "patient.*",
                     *         "appointment.created"
                     *       ],
                     *       "payload": "full",
                     *       "headers": {
                     *         "Authorization": "********"
                     *       },
                     *       "active": true,
                     *       "createdTime": "2030-01-15T08:00:00.000Z",
                     *       "lastEditTime": "2030-01-15T08:00:00.000Z",
                     *       "state": "healthy",
                     *       "withheld": "host_blocked",
                     *       "consecutiveFailures": 0,
                     *       "lastDeliveryTime": "2030-01-31T09:30:00.000Z",
                     *       "lastStatusCode": 204
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSubscription"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            412: components["responses"]["PreconditionFailed"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only deliveries with this outcome.
                 * @example failed
                 */
                outcome?: "queued" | "sending" | "succeeded" | "failed" | "skipped" | "interrupted";
                /**
                 * @description Only deliveries with this cause.
                 * @example timeout
                 */
                cause?: "dns" | "connect" | "tls" | "timeout" | "reset" | "status" | "redirect" | "blocked_address" | "protocol" | "configuration" | "subscription_disabled" | "subscription_gone" | "event_gone" | "event_unreadable" | "outbound_off";
                /**
                 * @description Only deliveries of this event.
                 * @example patient.updated
                 */
                event?: "patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded";
                /**
                 * @description Only deliveries whose receiver responded with a status of this class.
                 * @example 5xx
                 */
                statusClass?: "2xx" | "3xx" | "4xx" | "5xx";
                /**
                 * @description With `true`, only deliveries that failed, were interrupted or were skipped, and of which no later redelivery succeeded.
                 * @example true
                 */
                unrepaired?: "true";
                /**
                 * @description Only rows of the event with this id.
                 * @example 01JB000000000000000EVENT10
                 */
                eventId?: string;
                /**
                 * @description Only rows of the event that this request caused.
                 * @example 01JB00000000000000REQVEST0
                 */
                requestId?: string;
                /**
                 * @description Only deliveries that were created at this time or later.
                 * @example 2030-01-31T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only deliveries that were created at this time or earlier.
                 * @example 2030-01-31T00:00:00Z
                 */
                until?: string;
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *         "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "eventId": "01JB000000000000000EVENT10",
                     *         "event": "patient.created",
                     *         "kind": "event",
                     *         "outcome": "failed",
                     *         "cause": "status",
                     *         "reason": "The receiver responded with status 500.",
                     *         "statusCode": 500,
                     *         "address": "203.0.113.10",
                     *         "duration": 12.5,
                     *         "timings": {
                     *           "lookup": 12.5,
                     *           "connect": 12.5,
                     *           "tls": 12.5,
                     *           "firstByte": 12.5
                     *         },
                     *         "responseBodyTruncated": true,
                     *         "responseHeaders": {
                     *           "content-type": "text/plain",
                     *           "content-length": "5"
                     *         },
                     *         "url": "https://example.com/webhooks",
                     *         "payload": "full",
                     *         "redeliveries": [
                     *           {
                     *             "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *             "outcome": "succeeded",
                     *             "createdTime": "2030-01-31T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "attemptTime": "2030-01-31T09:30:00.000Z",
                     *         "finalTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAllWebhookDeliveries: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only rows of this subscription.
                 * @example 01JB000000000000SVBSCR1PT0
                 */
                webhookSubscriptionId?: string;
                /**
                 * @description Only deliveries with this outcome.
                 * @example failed
                 */
                outcome?: "queued" | "sending" | "succeeded" | "failed" | "skipped" | "interrupted";
                /**
                 * @description Only deliveries with this cause.
                 * @example timeout
                 */
                cause?: "dns" | "connect" | "tls" | "timeout" | "reset" | "status" | "redirect" | "blocked_address" | "protocol" | "configuration" | "subscription_disabled" | "subscription_gone" | "event_gone" | "event_unreadable" | "outbound_off";
                /**
                 * @description Only deliveries of this event.
                 * @example patient.updated
                 */
                event?: "patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded";
                /**
                 * @description Only deliveries whose receiver responded with a status of this class.
                 * @example 5xx
                 */
                statusClass?: "2xx" | "3xx" | "4xx" | "5xx";
                /**
                 * @description With `true`, only deliveries that failed, were interrupted or were skipped, and of which no later redelivery succeeded.
                 * @example true
                 */
                unrepaired?: "true";
                /**
                 * @description Only rows of the event with this id.
                 * @example 01JB000000000000000EVENT10
                 */
                eventId?: string;
                /**
                 * @description Only rows of the event that this request caused.
                 * @example 01JB00000000000000REQVEST0
                 */
                requestId?: string;
                /**
                 * @description Only deliveries that were created at this time or later. Default: 24 hours ago.
                 * @example 2030-01-31T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only deliveries that were created at this time or earlier.
                 * @example 2030-01-31T00:00:00Z
                 */
                until?: string;
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *         "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "eventId": "01JB000000000000000EVENT10",
                     *         "event": "patient.created",
                     *         "kind": "event",
                     *         "outcome": "failed",
                     *         "cause": "status",
                     *         "reason": "The receiver responded with status 500.",
                     *         "statusCode": 500,
                     *         "address": "203.0.113.10",
                     *         "duration": 12.5,
                     *         "timings": {
                     *           "lookup": 12.5,
                     *           "connect": 12.5,
                     *           "tls": 12.5,
                     *           "firstByte": 12.5
                     *         },
                     *         "responseBodyTruncated": true,
                     *         "responseHeaders": {
                     *           "content-type": "text/plain",
                     *           "content-length": "5"
                     *         },
                     *         "url": "https://example.com/webhooks",
                     *         "payload": "full",
                     *         "redeliveries": [
                     *           {
                     *             "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *             "outcome": "succeeded",
                     *             "createdTime": "2030-01-31T09:30:00.000Z"
                     *           }
                     *         ],
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "attemptTime": "2030-01-31T09:30:00.000Z",
                     *         "finalTime": "2030-01-31T09:30:00.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookDelivery"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook delivery.
                 * @example 01JB0000000000000000000000
                 */
                webhookDeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *       "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "eventId": "01JB000000000000000EVENT10",
                     *       "event": "patient.created",
                     *       "kind": "event",
                     *       "outcome": "failed",
                     *       "cause": "status",
                     *       "reason": "The receiver responded with status 500.",
                     *       "statusCode": 500,
                     *       "address": "203.0.113.10",
                     *       "duration": 12.5,
                     *       "timings": {
                     *         "lookup": 12.5,
                     *         "connect": 12.5,
                     *         "tls": 12.5,
                     *         "firstByte": 12.5
                     *       },
                     *       "responseBodyTruncated": true,
                     *       "responseHeaders": {
                     *         "content-type": "text/plain",
                     *         "content-length": "5"
                     *       },
                     *       "url": "https://example.com/webhooks",
                     *       "payload": "full",
                     *       "redeliveries": [
                     *         {
                     *           "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *           "outcome": "succeeded",
                     *           "createdTime": "2030-01-31T09:30:00.000Z"
                     *         }
                     *       ],
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "attemptTime": "2030-01-31T09:30:00.000Z",
                     *       "finalTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeliverWebhook: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `_id` of the webhook delivery.
                 * @example 01JB0000000000000000000000
                 */
                webhookDeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000000EVENT10-01JB00000000000REDEL1VERED",
                     *       "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "eventId": "01JB000000000000000EVENT10",
                     *       "event": "patient.created",
                     *       "kind": "redelivery",
                     *       "outcome": "queued",
                     *       "responseBodyTruncated": true,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "redeliveryOf": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeliverWebhooks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Makes retries safe: for 24 hours, requests with the same key and the same body write once. 1 to 255 printable ASCII characters.
                 * @example b1946ac9-2a5c-4c1f-9d0e-7a3f5e2c8d10
                 */
                "Idempotency-Key"?: components["parameters"]["Idempotency-Key"];
            };
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2030-01-31T09:30:00.000Z",
                 *       "until": "2030-02-01T00:00:00.000Z",
                 *       "outcomes": [
                 *         "failed",
                 *         "interrupted",
                 *         "skipped"
                 *       ],
                 *       "unrepaired": true
                 *     }
                 */
                "application/json": components["schemas"]["WebhookRedeliveryCreate"];
            };
        };
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    "Idempotent-Replayed": components["headers"]["Idempotent-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000REDEL1VERY0",
                     *       "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *       "since": "2030-01-31T09:30:00.000Z",
                     *       "until": "2030-02-01T00:00:00.000Z",
                     *       "outcomes": [
                     *         "failed",
                     *         "interrupted",
                     *         "skipped"
                     *       ],
                     *       "unrepaired": true,
                     *       "state": "running",
                     *       "made": 0,
                     *       "waiting": 0,
                     *       "succeeded": 12,
                     *       "failed": 0,
                     *       "gone": 0,
                     *       "createdTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookRedeliveries: {
        parameters: {
            query?: {
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB00000000000REDEL1VERY0",
                     *         "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *         "since": "2030-01-31T09:30:00.000Z",
                     *         "until": "2030-02-01T00:00:00.000Z",
                     *         "outcomes": [
                     *           "failed",
                     *           "interrupted",
                     *           "skipped"
                     *         ],
                     *         "unrepaired": true,
                     *         "state": "done",
                     *         "made": 12,
                     *         "waiting": 0,
                     *         "succeeded": 12,
                     *         "failed": 0,
                     *         "gone": 0,
                     *         "createdTime": "2030-01-31T09:30:00.000Z",
                     *         "finalTime": "2030-01-31T09:30:02.000Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookRedelivery"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
                /**
                 * @description The `_id` of the redelivery.
                 * @example 01JB0000000000000000000000
                 */
                redeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000REDEL1VERY0",
                     *       "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *       "since": "2030-01-31T09:30:00.000Z",
                     *       "until": "2030-02-01T00:00:00.000Z",
                     *       "outcomes": [
                     *         "failed",
                     *         "interrupted",
                     *         "skipped"
                     *       ],
                     *       "unrepaired": true,
                     *       "state": "done",
                     *       "made": 12,
                     *       "waiting": 0,
                     *       "succeeded": 12,
                     *       "failed": 0,
                     *       "gone": 0,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "finalTime": "2030-01-31T09:30:02.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    stopWebhookRedelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
                /**
                 * @description The `_id` of the redelivery.
                 * @example 01JB0000000000000000000000
                 */
                redeliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB00000000000REDEL1VERY0",
                     *       "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *       "since": "2030-01-31T09:30:00.000Z",
                     *       "until": "2030-02-01T00:00:00.000Z",
                     *       "outcomes": [
                     *         "failed",
                     *         "interrupted",
                     *         "skipped"
                     *       ],
                     *       "unrepaired": true,
                     *       "state": "stopped",
                     *       "made": 12,
                     *       "waiting": 0,
                     *       "succeeded": 12,
                     *       "failed": 0,
                     *       "gone": 0,
                     *       "createdTime": "2030-01-31T09:30:00.000Z",
                     *       "finalTime": "2030-01-31T09:30:02.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookRedelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testWebhookSubscription: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the webhook subscription.
                 * @example 01JB0000000000000000000000
                 */
                webhookSubscriptionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "_id": "01JB000000000000000EVENT10-01JB000000000000SVBSCR1PT0",
                     *       "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *       "clinicId": "01JB0000000000000000CHN1C0",
                     *       "eventId": "01JB000000000000000EVENT10",
                     *       "event": "test.ping",
                     *       "kind": "test",
                     *       "outcome": "queued",
                     *       "responseBodyTruncated": true,
                     *       "createdTime": "2030-01-31T09:30:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            404: components["responses"]["NotFound"];
            408: components["responses"]["RequestTimeout"];
            413: components["responses"]["PayloadTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listWebhookStatistics: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only rows of this subscription.
                 * @example 01JB000000000000SVBSCR1PT0
                 */
                webhookSubscriptionId?: string;
                /**
                 * @description Only hours that begin at this time or later. Default: 24 hours before `until`.
                 * @example 2030-01-31T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only hours that begin before this time, at most 30 days after `since`. Default: now.
                 * @example 2030-01-31T00:00:00Z
                 */
                until?: string;
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "hour": "2030-01-31T09:00:00.000Z",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "subscriptionId": "01JB000000000000SVBSCR1PT0",
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "skipped": 1,
                     *         "interrupted": 1,
                     *         "causes": {
                     *           "timeout": 1
                     *         },
                     *         "durations": [
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           1,
                     *           1,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0,
                     *           0
                     *         ],
                     *         "complete": true
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["WebhookStatisticsRow"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this clinic.
                 * @example 01JB0000000000000000CHN1C0
                 */
                clinicId?: string;
                /**
                 * @description Only events with this name.
                 * @example patient.updated
                 */
                event?: "patient.created" | "patient.updated" | "patient.deleted" | "appointment.created" | "appointment.updated" | "appointment.deleted" | "invoice.created" | "invoice.updated" | "invoice.paid" | "invoice.voided" | "payment.created" | "payment.updated" | "payment.refunded";
                /**
                 * @description Only rows about this record.
                 * @example 01JB0000000000000000PAT1E0
                 */
                recordId?: string;
                /**
                 * @description Only events that entered the log at this time or later. A time up to five minutes ahead of the service is the end of the log; a later one is refused.
                 * @example 2030-01-31T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only events that entered the log until this time.
                 * @example 2030-01-31T00:00:00Z
                 */
                until?: string;
                /** @description `asc` begins with the oldest event, `desc` with the newest. */
                order?: "asc" | "desc";
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    "X-Resume-Cursor": components["headers"]["X-Resume-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "id": "01JB000000000000000EVENT10",
                     *         "event": "patient.created",
                     *         "timestamp": 1896082200,
                     *         "data": {
                     *           "_id": "01JB0000000000000000PAT1E0",
                     *           "clinicId": "01JB0000000000000000CHN1C0",
                     *           "externalId": "pms:4711",
                     *           "name": "Test Patient",
                     *           "email": "test.patient@example.com",
                     *           "phone": "+1 202 555 0100",
                     *           "language": "en",
                     *           "createdTime": "2030-01-15T08:00:00.000Z",
                     *           "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *         },
                     *         "origin": {
                     *           "kind": "apiKey",
                     *           "ref": "Zk5sE1vT0mQeY2xHq3pJbA",
                     *           "requestId": "01JB00000000000REQVEST1D00"
                     *         },
                     *         "changed": [
                     *           "phone"
                     *         ],
                     *         "clinicIds": [
                     *           "01JB0000000000000000CHN1C0"
                     *         ],
                     *         "loggedTime": "2030-01-31T09:30:00.250Z"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["Event"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            410: components["responses"]["LogExpired"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The `_id` of the event.
                 * @example 01JB0000000000000000000000
                 */
                eventId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "01JB000000000000000EVENT10",
                     *       "event": "patient.created",
                     *       "timestamp": 1896082200,
                     *       "data": {
                     *         "_id": "01JB0000000000000000PAT1E0",
                     *         "clinicId": "01JB0000000000000000CHN1C0",
                     *         "externalId": "pms:4711",
                     *         "name": "Test Patient",
                     *         "email": "test.patient@example.com",
                     *         "phone": "+1 202 555 0100",
                     *         "language": "en",
                     *         "createdTime": "2030-01-15T08:00:00.000Z",
                     *         "lastEditTime": "2030-01-31T09:30:00.000Z"
                     *       },
                     *       "origin": {
                     *         "kind": "apiKey",
                     *         "ref": "Zk5sE1vT0mQeY2xHq3pJbA",
                     *         "requestId": "01JB00000000000REQVEST1D00"
                     *       },
                     *       "changed": [
                     *         "phone"
                     *       ],
                     *       "clinicIds": [
                     *         "01JB0000000000000000CHN1C0"
                     *       ],
                     *       "loggedTime": "2030-01-31T09:30:00.250Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenScope"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditEntries: {
        parameters: {
            query?: {
                /**
                 * @description Only rows of this API key or operator.
                 * @example 01JB00000000000000AP1KEY00
                 */
                principalId?: string;
                /**
                 * @description Only entries about records of these kinds, or about operators, sessions, keys, subscriptions, connected apps or the audit log. Several are separated by commas.
                 * @example [
                 *       "patient",
                 *       "appointment"
                 *     ]
                 */
                kind?: ("patient" | "appointment" | "clinic" | "invoice" | "payment" | "treatment" | "organization" | "operator" | "session" | "apiKey" | "webhookSubscription" | "webhookDelivery" | "connection" | "auditEntry" | "provider" | "procedure" | "calendarBlock" | "openingHours")[];
                /**
                 * @description Only rows about this record.
                 * @example 01JB0000000000000000PAT1E0
                 */
                recordId?: string;
                /**
                 * @description Only entries of these actions. Several are separated by commas.
                 * @example [
                 *       "read",
                 *       "listed"
                 *     ]
                 */
                action?: ("read" | "listed" | "events_read" | "created" | "updated" | "deleted" | "paid" | "voided" | "refunded" | "imported" | "exported" | "erased" | "signed_in" | "signed_out" | "confirmed" | "password_changed" | "invited" | "invitation_completed" | "reset_requested" | "password_reset" | "factor_added" | "factor_removed" | "token_created" | "token_used" | "token_ended" | "sessions_ended" | "revealed" | "rotated" | "granted" | "denied" | "downloaded" | "tested" | "redelivered" | "redelivery_stopped" | "suspended" | "resumed" | "released" | "discarded")[];
                /**
                 * @description Only rows of this request.
                 * @example 01JB00000000000000REQVEST0
                 */
                requestId?: string;
                /**
                 * @description Only entries of this time or later.
                 * @example 2030-01-31T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only entries of this time or earlier.
                 * @example 2030-01-31T00:00:00Z
                 */
                until?: string;
                /** @description The maximum number of rows of a page, 100 by default. A page that reaches 8 MiB, or takes half a second of computing, has fewer rows. */
                limit?: number;
                /** @description The `X-Next-Cursor` of the previous page. Send the same filters again. */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    Link: components["headers"]["Link"];
                    "X-Next-Cursor": components["headers"]["X-Next-Cursor"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example [
                     *       {
                     *         "_id": "01JB000000000000000AVD1T00",
                     *         "time": "2030-01-31T09:30:00.000Z",
                     *         "action": "read",
                     *         "principal": {
                     *           "kind": "apiKey",
                     *           "id": "01JB00000000000000AP1KEY00"
                     *         },
                     *         "kind": "patient",
                     *         "ids": [
                     *           "01JB0000000000000000PAT1E0"
                     *         ],
                     *         "by": "j.doe",
                     *         "reason": "Ticket 4711: the key was published.",
                     *         "part": 1,
                     *         "result": "ok",
                     *         "requestId": "01JB00000000000000REQVEST0"
                     *       }
                     *     ]
                     */
                    "application/json": components["schemas"]["AuditEntry"][];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getServiceStatus: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    RateLimit: components["headers"]["RateLimit"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eventsWaiting": 0,
                     *       "deliveriesWaiting": 3,
                     *       "oldestAge": 1.5,
                     *       "complete": true,
                     *       "outage": false,
                     *       "outbound": "send"
                     *     }
                     */
                    "application/json": components["schemas"]["ServiceStatus"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["ForbiddenRole"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getOpenApiDocument: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "openapi": "3.1.0"
                     *     }
                     */
                    "application/json": {
                        [key: string]: unknown;
                    };
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getGuide: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getLimitsPage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getSignaturesPage: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Returns 304 if the record still has this version.
                 * @example "3"
                 */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            /** @description The caller already has this version. The response has no body. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
        };
    };
    getReferencePage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "text/html": string;
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["InternalServerError"];
        };
    };
}
