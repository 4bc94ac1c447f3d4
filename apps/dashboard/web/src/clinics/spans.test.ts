import { expect, test } from 'vitest';
import { coveredBy, inside, overlap, without } from './spans.ts';

const span = (start: number, end: number) => ({ start, end });

test('periods that only touch do not overlap', () => {
  expect([overlap(span(1, 3), span(2, 5)), overlap(span(1, 3), span(3, 5))]).toEqual([true, false]);
});

test('what is left of a period lies between the others, whatever their order', () => {
  const day = span(0, 100);
  expect(without(day, [])).toEqual([day]);
  expect(without(day, [span(60, 70), span(20, 40), span(30, 50)])).toEqual([
    span(0, 20),
    span(50, 60),
    span(70, 100),
  ]);
  expect(without(day, [span(-10, 10), span(90, 110)])).toEqual([span(10, 90)]);
  expect(without(day, [span(-10, 110), span(5, 6)])).toEqual([]);
});

test('the parts inside a period keep their other fields', () => {
  expect(
    inside(
      [
        { ...span(-5, 5), name: 'a' },
        { ...span(20, 30), name: 'b' },
      ],
      span(0, 20),
    ),
  ).toEqual([{ ...span(0, 5), name: 'a' }]);
});

test('covered times need as many periods at once', () => {
  const spans = [span(0, 10), span(5, 15), span(15, 20), span(8, 9)];
  expect(coveredBy(spans, 1)).toEqual([span(0, 15), span(15, 20)]);
  expect(coveredBy(spans, 2)).toEqual([span(5, 10)]);
  expect(coveredBy(spans, 3)).toEqual([span(8, 9)]);
  expect(coveredBy(spans, 4)).toEqual([]);
});
