import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { COMMANDS, runCommand } from '../../../infrastructure/commands/run-command.ts';

const NAMES = Object.keys(COMMANDS);
const MANUAL = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'command-line.md'), 'utf8');

/** Runs a call that must end before any database is opened: there is none in that folder. */
async function call(...args: readonly string[]) {
  const [printed, complained]: [string[], string[]] = [[], []];
  const code = await runCommand(
    args,
    { DATA_DIR: '/no/such/folder' },
    { print: (line) => void printed.push(line), complain: (line) => void complained.push(line) },
  );
  return { code, printed: printed.join('\n'), complained: complained.join('\n') };
}

describe('help', () => {
  test.each([[['help']], [['--help']], [['-h']], [['help', '--help']]])('%j lists all commands', async (args) => {
    const { code, printed, complained } = await call(...args);
    expect([code, complained]).toEqual([0, '']);
    for (const name of NAMES) expect(printed).toContain(`\n  npm run admin -- ${name}`);
  });

  test('without a command the same list is an error', async () => {
    const { printed } = await call('help');
    expect(await call()).toEqual({ code: 2, printed: '', complained: printed });
  });

  test.each(NAMES)('help %s, %s --help and -h print its usage', async (name) => {
    const { code, printed, complained } = await call('help', name);
    expect([code, complained]).toEqual([0, '']);
    expect(printed).toMatch(new RegExp(`^Usage:\n  npm run admin -- ${name}\\b.*\n      \\S`));
    expect(printed.includes('--json prints')).toBe(COMMANDS[name]?.json !== undefined);
    expect((await call(name, '--help')).printed).toBe(printed);
    expect((await call(name, 'anything', '-h')).printed).toBe(printed);
  });

  test('an unknown command is refused with the list and the nearest name', async () => {
    const complained = `${(await call('help')).printed}\n\nThere is no command sorces. Did you mean sources?`;
    const refusal = { code: 2, printed: '', complained };
    expect(await call('sorces')).toEqual(refusal);
    expect(await call('help', 'sorces')).toEqual(refusal);
    expect((await call('constructor')).complained).toMatch(/\nThere is no command constructor\.$/);
  });

  test('a word after -- is no option', async () => {
    expect((await call('quarantine', '--', '--help')).complained).toContain('--help is no record id');
  });
});

describe('--json', () => {
  test.each(NAMES.filter((name) => COMMANDS[name]?.json === undefined))('%s prints no report', async (name) => {
    const { code, complained } = await call(name, '--json');
    expect([code, complained]).toEqual([
      2,
      expect.stringContaining(`${name} prints no report, so it takes no --json.`),
    ]);
  });

  test.each(NAMES)('docs/command-line.md describes %s', (name) => {
    expect(MANUAL).toMatch(new RegExp(`\`${name}[\` ]`));
  });
});
