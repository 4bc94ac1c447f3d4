/*
 * The process that strength.ts starts. It holds the dictionaries, and ends with its parent.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import type { StrengthQuestion, StrengthResponse } from './strength.ts';

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
});

process.on('disconnect', () => process.exit());
// A terminal and systemd signal the whole group, but the parent still has requests to finish.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
process.on('message', ({ password, context }: StrengthQuestion) => {
  const { score, feedback } = zxcvbn.check(password, context);
  const reasons = [feedback.warning ?? '', ...feedback.suggestions].filter((text) => text !== '');
  process.send?.({ score, reasons } satisfies StrengthResponse);
});
