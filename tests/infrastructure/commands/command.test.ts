import { describe, expect, test } from '@jest/globals';
import {
  command,
  defaulted,
  FLAG,
  oneOf,
  option,
  required,
  rest,
  UsageError,
  word,
} from '../../../infrastructure/commands/command.ts';

const seen: unknown[] = [];
const number = (text: string, name: string) => {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`${name} ${text} is no number.`);
};
const move = command({
  name: 'move',
  summary: 'move something',
  takes: {
    thing: word('THING', 'Name one thing.', number),
    ...{ to: required('PLACE', (sent = 'nowhere') => sent), by: option('N', number) },
    ...{
      pace: defaulted('slow|fast', 'slow', oneOf(['slow', 'fast'])),
      force: FLAG,
      why: rest('WHY', true, (text) => text),
    },
  },
  check({ by, force }) {
    if (by !== undefined && force) throw new UsageError('Send --by or --force.');
  },
  async run(values) {
    seen.push(values);
    return 0;
  },
});
const one = command({ name: 'one', summary: '', takes: { a: word('A', 'Name A.', number) }, run: async () => 0 });
const none = command({ name: 'none', summary: '', run: async () => 0 });
const flags = command({ name: 'flags', summary: '', takes: { all: FLAG }, run: async () => 0 });

describe('a command as a row of a table', () => {
  test('shows what it takes, in its order', () => {
    expect(move.usage).toBe('THING --to PLACE [--by N] [--pace slow|fast] [--force] [WHY]');
    expect([one.usage, none.usage, flags.usage]).toEqual(['A', '', '[--all]']);
    expect([move.opens, 'json' in move]).toEqual(['storage', false]);
  });

  test('reads words and options in any order before it runs', async () => {
    const run = move.read(['--pace', 'fast', '7', 'some', '--to', 'there', 'reason', '--by', '2']);
    expect(seen).toEqual([]);
    await run(Object.create(null));
    expect(seen).toEqual([{ thing: 7, to: 'there', by: 2, pace: 'fast', force: false, why: 'some reason' }]);
    await move.read(['7', '--force'])(Object.create(null));
    expect(seen[1]).toEqual({ thing: 7, to: 'nowhere', by: undefined, pace: 'slow', force: true, why: '' });
  });

  test.each([
    ['a word that is missing', move, [], 'Name one thing.'],
    ['a word that cannot be read', move, ['x'], 'THING x is no number.'],
    ['an option that cannot be read', move, ['7', '--by', 'x'], '--by x is no number.'],
    ['another word than those to choose from', move, ['7', '--pace', 'x'], '--pace x: send slow, fast.'],
    ['options that exclude each other', move, ['7', '--by', '1', '--force'], 'Send --by or --force.'],
    ['a word too many', one, ['7', '8'], 'Name A.'],
    ['a word where only options are', flags, ['7'], 'This command takes options only.'],
    ['anything where nothing is taken', none, ['--all'], 'This command takes no arguments.'],
  ])('refuses %s', (_, { read }, args, message) => {
    expect(() => read(args)).toThrow(new UsageError(message));
  });

  test('refuses an option that it does not have', () => {
    expect(() => flags.read(['--other'])).toThrow(/^Unknown option '--other'/);
  });

  test.each([
    ['a text', 'done', ['done'], [], 0],
    ['lines and a report', { text: ['a', 'b'], report: { n: 1 } }, ['a', 'b'], [{ n: 1 }], 0],
    ['a failure', { text: 'no', failed: true }, ['no'], [], 1],
    ['an exit code', 2 as const, [], [], 2],
  ])('shows %s', async (_, result, lines, reports, code) => {
    const shown = command({ name: 'shown', summary: '', run: async () => result });
    const [printed, reported]: [string[], object[]] = [[], []];
    const output = {
      print: (line: string) => void printed.push(line),
      report: (each: object) => void reported.push(each),
    };
    expect(await shown.read([])(Object.assign(Object.create(null), output))).toBe(code);
    expect([printed, reported]).toEqual([lines, reports]);
  });
});
