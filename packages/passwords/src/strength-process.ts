/*
 * The thread that strength.ts starts. It holds the dictionaries, and ends with its last message port.
 */
import { parentPort } from 'node:worker_threads';
import { ZxcvbnFactory } from '@zxcvbn-ts/core';
import * as common from '@zxcvbn-ts/language-common';
import * as english from '@zxcvbn-ts/language-en';
import type { StrengthQuestion, StrengthResponse } from './strength.ts';

const zxcvbn = new ZxcvbnFactory({
  dictionary: { ...common.dictionary, ...english.dictionary },
  graphs: common.adjacencyGraphs,
  translations: english.translations,
});

parentPort?.on('message', ({ password, context }: StrengthQuestion) => {
  const { score, feedback } = zxcvbn.check(password, context);
  const reasons = [feedback.warning ?? '', ...feedback.suggestions].filter((text) => text !== '');
  parentPort?.postMessage({ score, reasons } satisfies StrengthResponse);
});
