import { afterEach, expect, test } from '@jest/globals';
import { checkpointText } from '../../../domain/log/notes/checkpoint.ts';
import { type Recorder, record } from './mirror.ts';

let recorder: Recorder;

afterEach(() => recorder.stop());

test('two roots of one size are a fork; two sizes are none', () => {
  recorder = record('http://127.0.0.1:9');
  const text = (size: number, byte: number) =>
    checkpointText({ origin: 'log.test/log/1', size, root: new Uint8Array(32).fill(byte) });
  for (const each of [text(1, 1), text(2, 2), text(1, 1)]) recorder.noteText(each);
  expect(recorder.forks()).toEqual([]);
  recorder.noteText(text(2, 3));
  expect(recorder.forks()).toHaveLength(1);
});
