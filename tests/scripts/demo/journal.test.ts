import { appendFileSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { openJournal } from '../../../scripts/demo/submissions.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-journal-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('what was noted is there when it is opened again', () => {
  const journal = openJournal(folder);
  journal.noteSent('a');
  journal.noteSent('b');
  journal.noteAcknowledged('a', 'dec_20260130_5c0ffee5');
  const again = openJournal(folder);
  expect([...again.sent]).toEqual([...journal.sent]);
  expect([...again.acknowledged]).toEqual([['a', 'dec_20260130_5c0ffee5']]);
  expect(statSync(join(folder, 'journal.jsonl')).mode & 0o777).toBe(0o600);
});

test('a line that a kill cut off counts for nothing and spoils nothing', () => {
  openJournal(folder).noteAcknowledged('a', 'dec_20260130_5c0ffee5');
  appendFileSync(join(folder, 'journal.jsonl'), '{"key":"b","record_id":"dec_2026');
  const torn = openJournal(folder);
  expect([...torn.acknowledged.keys()]).toEqual(['a']);
  torn.noteAcknowledged('c', 'dec_20260130_5c0ffee6');
  expect([...openJournal(folder).acknowledged.keys()]).toEqual(['a', 'c']);
});

test('the first sending of a key is the one whose age counts', () => {
  const journal = openJournal(folder);
  journal.noteSent('a');
  const at = journal.sent.get('a');
  journal.noteSent('a');
  expect(openJournal(folder).sent.get('a')).toBe(at);
});
