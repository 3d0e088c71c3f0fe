import { expect, test } from '@jest/globals';
import { openedReplies } from '../../../../adapters/postgres/decisions/opened-replies.ts';

const ofBytes = (bytes: number) => ({ reply: new Uint8Array(bytes), form: 'public', seal: `${bytes}` }) as const;

test('those go first that were not read again, and a reply that is replaced counts once', () => {
  const opened = openedReplies(100);
  opened.keep('a', ofBytes(40));
  opened.keep('b', ofBytes(40));
  opened.keep('a', ofBytes(50));
  opened.find('b');
  opened.keep('c', ofBytes(50));
  expect(['a', 'b', 'c'].map((name) => opened.find(name)?.seal)).toEqual([undefined, '40', '50']);
});

test('a reply that is larger than the bound is not held', () => {
  const opened = openedReplies(100);
  opened.keep('a', ofBytes(40));
  opened.keep('b', ofBytes(101));
  expect(['a', 'b'].map((name) => opened.find(name))).toEqual([null, null]);
});
