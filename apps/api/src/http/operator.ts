import { notFound } from '@chairside/domain';
import type { OperatorPrincipal } from '@chairside/mongodb';
import type { FastifyRequest } from 'fastify';

/** The operator of the request. Routes for staff admit nobody else. */
export const operatorOf = ({ principal }: Pick<FastifyRequest, 'principal'>): OperatorPrincipal => {
  if (principal.kind !== 'operator') throw notFound();
  return principal;
};
