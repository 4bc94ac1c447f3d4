import { newId } from '@chairside/domain';
import { loggableError, logOutput } from '@chairside/telemetry';
import { type FastifyServerOptions, LogController } from 'fastify';
import { connections } from './connections.ts';
import { undecodablePaths } from './undecodable-paths.ts';

/**
 * The Fastify options of every public server.
 *
 * @param process.service the value of `service` in each log line
 * @param process.maxBodyBytes the size of the largest accepted request body, in bytes; a larger one is refused with 413
 * @param process.stream receives the log lines; standard output by default
 */
export const serverOptions = (
  { LOG_LEVEL, TRUST_PROXY }: { LOG_LEVEL: string; TRUST_PROXY: string[] },
  process: {
    service: string;
    maxBodyBytes: number;
    stream?: { write(line: string): void } | undefined;
  },
) =>
  ({
    ...connections,
    bodyLimit: process.maxBodyBytes,
    genReqId: () => newId(),
    requestIdHeader: false,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'requestId' }),
    logger: {
      level: LOG_LEVEL,
      base: { service: process.service },
      serializers: { err: loggableError },
      stream: process.stream ?? logOutput(),
    },
    trustProxy: TRUST_PROXY.length > 0 ? TRUST_PROXY : false,
    // A request on an open connection gets its normal response while the app closes.
    return503OnClosing: false,
    ...undecodablePaths,
  }) satisfies FastifyServerOptions;
