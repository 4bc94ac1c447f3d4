import type { Issue } from '@chairside/domain';
import type { FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { furtherIssues } from './further-issues.ts';

test('many unknown fields are not compared with every issue', async () => {
  let reads = 0;
  const known = Array.from({ length: 100 }, (_, index): Issue => {
    const issue = { message: 'is not a known field', code: 'unknown' } as Issue;
    const get = () => {
      reads++;
      return `field${index}.a`;
    };
    return Object.defineProperty(issue, 'path', { get });
  });
  const body = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`field${index}`, 0]));
  const seen: string[] = [];
  const alsoCheck = (sent: object) => {
    seen.push(...Object.keys(sent));
    return [];
  };
  const request = { store: {} } as FastifyRequest;
  expect(await furtherIssues(request, { body, isCreation: true, alsoCheck }, known)).toEqual([]);
  expect(seen).toEqual(Object.keys(body).slice(100));
  expect(reads).toBe(100);
});
