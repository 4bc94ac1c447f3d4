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
import type { Span, SpanAttributes, SpanKind, Tracer } from './tracing.ts';

/**
 * How long sending the last spans may take, so that an unreachable collector does not delay a
 * shutdown.
 */
const CLOSE_TIMEOUT_MS = 500;
/** How long further problems are not reported after a report. Otherwise each failed batch would be reported. */
const QUIET_TIME_MS = 60_000;

const KINDS: Readonly<Record<SpanKind, spanKinds>> = {
  server: spanKinds.SERVER,
  client: spanKinds.CLIENT,
  producer: spanKinds.PRODUCER,
  consumer: spanKinds.CONSUMER,
};

const toSpan = (span: OpenTelemetrySpan): Span => ({
  traceId: span.spanContext().traceId,
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
  /** The service name, unless the environment sets one. */
  serviceName: string;
  /**
   * Called at most once a minute with the reason why spans cannot be sent, and with the error of a shutdown that fails.
   */
  onProblem(error: unknown): void;
};

/**
 * Starts OpenTelemetry, configured by its standard environment variables. Automatic instrumentation is disabled,
 * because it records complete URLs and statements, which may contain patient data. Only our own spans are reported.
 *
 * @returns a tracer; `close` sends the remaining spans and takes at most half a second
 */
export const openTracer = ({
  serviceName,
  onProblem,
}: TracerOptions): Tracer & { close(): Promise<void> } => {
  let reportedAt = Number.NEGATIVE_INFINITY;
  setGlobalErrorHandler((error) => {
    if (performance.now() - reportedAt < QUIET_TIME_MS) return;
    reportedAt = performance.now();
    onProblem(error);
  });
  const sdk = new NodeSDK({
    resource: defaultResource().merge(resourceFromAttributes({ 'service.name': serviceName })),
    // Only these detectors are used, because the others report the machine and the command line.
    resourceDetectors: [serviceInstanceIdDetector, envDetector],
    instrumentations: [],
    // Metrics and logs are not exported through OpenTelemetry: Prometheus collects the metrics, and logs are written
    // directly.
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
    start: (name, kind, attributes, startTime) => start(ROOT_CONTEXT, name, kind, attributes, startTime),
    startPart(name, kind, attributes) {
      // Work that continues after a span has ended is not part of that span.
      const isRecording = trace.getActiveSpan()?.isRecording() === true;
      return isRecording ? start(context.active(), name, kind, attributes) : undefined;
    },
    async close() {
      const timeout = new Promise((resolve) => setTimeout(resolve, CLOSE_TIMEOUT_MS).unref());
      await Promise.race([sdk.shutdown().catch(onProblem), timeout]);
    },
  };
};
