import type { Span, SpanAttributes, SpanKind, Tracer } from '@chairside/runtime';
import {
  type Context,
  context,
  type Span as OpenTelemetrySpan,
  ROOT_CONTEXT,
  SpanStatusCode,
  SpanKind as spanKinds,
  trace,
} from '@opentelemetry/api';
import { setGlobalErrorHandler } from '@opentelemetry/core';
import {
  defaultResource,
  envDetector,
  resourceFromAttributes,
  serviceInstanceIdDetector,
} from '@opentelemetry/resources';
import { NodeSDK } from '@opentelemetry/sdk-node';

/** How long the last spans may take to be sent, in milliseconds: a collector that is away must not hold a shutdown up. */
const CLOSE_TIMEOUT = 500;
/** How long is kept silent about further problems, in milliseconds: each batch would have its own. */
const QUIET_TIME = 60_000;

const KINDS: Readonly<Record<SpanKind, spanKinds>> = {
  server: spanKinds.SERVER,
  client: spanKinds.CLIENT,
  producer: spanKinds.PRODUCER,
  consumer: spanKinds.CONSUMER,
};

const toSpan = (span: OpenTelemetrySpan): Span => ({
  set: (attributes) => void span.setAttributes(attributes),
  within: (work) => context.with(trace.setSpan(context.active(), span), work),
  end(failure, time) {
    if (failure !== undefined) {
      span.setAttribute('error.type', failure);
      span.setStatus({ code: SpanStatusCode.ERROR });
    }
    span.end(time);
  },
});

export type TracerOptions = {
  /** Unless the environment names the service. */
  serviceName: string;
  /** Told, once a minute at most, why spans cannot be sent. */
  onProblem(error: unknown): void;
};

/**
 * Starts OpenTelemetry as its standard variables say. It instruments nothing by itself: modules that are patched tell
 * whole URLs and statements, which may be patient data. What is told is what our own spans say.
 *
 * @returns a tracer; `close` sends what is left, for half a second at most
 */
export const openTracer = ({
  serviceName,
  onProblem,
}: TracerOptions): Tracer & { close(): Promise<void> } => {
  let toldAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (performance.now() - toldAt < QUIET_TIME) return;
    toldAt = performance.now();
    onProblem(error);
  });
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
    // The others tell of the machine and the command line.
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    instrumentations: [],
    // Metrics are told to Prometheus, and logs are written.
    metricReaders: [],
    logRecordProcessors: [],
  });
  sdk.start();
  const tracer = trace.getTracer('chairside');

  const start = (
    within: Context,
    name: string,
    kind: SpanKind,
    attributes: SpanAttributes,
    startTime?: Date,
  ): Span => {
    const options = { kind: KINDS[kind], attributes, ...(startTime && { startTime }) };
    return toSpan(tracer.startSpan(name, options, within));
  };

  return {
    start: (name, kind, attributes, begun) => start(ROOT_CONTEXT, name, kind, attributes, begun),
    startPart(name, kind, attributes) {
      // What goes on behind a span that has ended is not a part of it.
      const isUnderWay = trace.getActiveSpan()?.isRecording() === true;
      return isUnderWay ? start(context.active(), name, kind, attributes) : undefined;
    },
    async close() {
      const timeout = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT).unref());
      await Promise.race([sdk.shutdown().catch(onProblem), timeout]);
    },
  };
};
