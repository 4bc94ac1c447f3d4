// The types of `unwrap` are written by hand, so that the package has no dependencies. This test checks that they equal
// the schemas of the service. The types are compared when `pnpm typecheck` runs.
import * as domain from '@chairside/domain';
import { describe, expect, expectTypeOf, it } from 'vitest';
import {
  type Appointment,
  type Invoice,
  type Patient,
  type Payment,
  sign,
  unwrap,
  type WebhookEvent,
  type WebhookEventName,
} from '../src/index.ts';
import { NOW, SECRET } from './entries.ts';

/** The type of a value after conversion to JSON: an optional field is absent or has a value, but is never undefined. */
type Carried<T> = T extends readonly (infer Item)[]
  ? Carried<Item>[]
  : T extends object
    ? { [Key in keyof T]: Carried<Exclude<T[Key], undefined>> }
    : T;

/** The output type of a schema in domain, or the given type if domain does not have the schema. */
type Output<Name extends string, Ours> =
  typeof domain extends Record<Name, { _output: infer Theirs }> ? Theirs : Ours;

const names: Record<WebhookEventName, true> = {
  'patient.created': true,
  'patient.updated': true,
  'patient.deleted': true,
  'appointment.created': true,
  'appointment.updated': true,
  'appointment.deleted': true,
  'invoice.created': true,
  'invoice.updated': true,
  'invoice.paid': true,
  'invoice.voided': true,
  'payment.created': true,
  'payment.updated': true,
  'payment.refunded': true,
  'test.ping': true,
};

describe('the types of events', () => {
  it('name all events of the service and the test event', () => {
    expect(Object.keys(names).sort()).toEqual([...domain.eventNames, 'test.ping'].sort());
    expectTypeOf<WebhookEventName>().toEqualTypeOf<domain.EventName | 'test.ping'>();
  });

  it('contain the records that the service returns', () => {
    expectTypeOf<Carried<Patient>>().toEqualTypeOf<Carried<Output<'patientSchema', never>>>();
    expectTypeOf<Carried<Appointment>>().toEqualTypeOf<Carried<Output<'appointmentSchema', never>>>();
    expectTypeOf<Carried<Invoice>>().toEqualTypeOf<Carried<Output<'invoiceSchema', Invoice>>>();
    expectTypeOf<Carried<Payment>>().toEqualTypeOf<Carried<Output<'paymentSchema', Payment>>>();
    for (const name of ['invoiceSchema', 'paymentSchema']) {
      if (!(name in domain)) console.warn(`@chairside/domain has no ${name}, so this type was not compared.`);
    }
    expect(domain).toHaveProperty('patientSchema');
    expect(domain).toHaveProperty('appointmentSchema');
  });

  it('determine the type of the record by the name', () => {
    type DataOf<Name extends WebhookEventName> = Extract<WebhookEvent, { event: Name }>;
    const of = (event: WebhookEvent) => {
      if (event.event === 'patient.deleted') expectTypeOf(event.data).toEqualTypeOf<Patient>();
      if (event.event === 'appointment.created') expectTypeOf(event.data).toEqualTypeOf<Appointment>();
      if (event.event === 'invoice.voided') expectTypeOf(event.data).toEqualTypeOf<Invoice>();
      if (event.event === 'payment.created') expectTypeOf(event.data).toEqualTypeOf<Payment>();
      return event.event;
    };
    expectTypeOf<DataOf<'test.ping'>>().toBeObject();
    const origin = { kind: 'operator' as const };
    expect(of({ id: 'evt_1', event: 'test.ping', timestamp: 1, data: {}, origin })).toBe('test.ping');
  });

  it('match the body that the service creates', () => {
    const author = { principal: { kind: 'system' as const, id: 'system' }, requestId: 'req_1' };
    const record = domain.patientSchema.parse({
      _id: 'pat_1',
      clinicId: 'cli_1',
      name: 'Zoë',
      createdTime: '2023-11-14T22:13:19.000Z',
      lastEditTime: '2023-11-14T22:13:19.000Z',
    });
    const time = new Date(NOW * 1000);
    const { body } = domain.newEvent({ _id: 'evt_1', event: 'patient.created', time, author }, record);
    const header = sign({ body, secret: SECRET, timestamp: NOW });
    const event = unwrap({ body, header, secret: SECRET, now: NOW });
    const origin = { kind: 'import', requestId: 'req_1' };
    expect(event).toEqual({ id: 'evt_1', event: 'patient.created', timestamp: NOW, data: record, origin });
  });
});
