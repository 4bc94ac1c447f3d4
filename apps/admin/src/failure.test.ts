import { ServiceError } from '@chairside/domain';
import { UnreadableValueError } from '@chairside/mongodb';
import { expect, test } from 'vitest';
import { sentenceOf } from './failure.ts';

test.each([
  new ServiceError('Another command has switched the search on in the meantime. Wait until it has ended.'),
  new UnreadableValueError({ collection: 'patients', _id: 'pat_1', field: 'sealed' }),
])('what the store says for operators is not called unexpected: %s', (error) => {
  expect(sentenceOf(error)).toBe(error.message);
});

test('the text of another error is withheld', () => {
  const sentence = sentenceOf(new Error('Ada Beispiel'));
  expect(sentence).toContain('Please report it');
  expect(sentence).not.toContain('Ada');
});
